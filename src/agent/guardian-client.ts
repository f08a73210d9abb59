// Starts a guardian and talks to it. It may be started before it is needed, so that its start-up costs a Run nothing (J5).

import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { programFile } from '../system/program-file.js';
import type { GuardianLaunch, GuardianReport } from './guardian-protocol.js';

export interface Guardian {
  /** Starts the agent. `onReport` is called for each report, `onOutput` for the bytes of its standard output. */
  launch(launch: GuardianLaunch, onReport: (report: GuardianReport) => void, onOutput: (bytes: Buffer) => void): void;
  /** Asks it to end the agent: SIGTERM, then SIGKILL. Again: nothing. */
  end(): void;
  /** Resolves when the guardian is gone and everything it said was heard. */
  readonly gone: Promise<void>;
  /** Ends a guardian that was started and has no agent; ends the agent of one that has. */
  dispose(): void;
}

/**
 * Starts a guardian in a session of its own. `file`: the built program, when it is not beside this one (tests).
 * It does not keep this process alive until `launch` was called.
 */
export function startGuardian(file: string = programFile('guardian')): Guardian {
  const child: ChildProcess = spawn(process.execPath, [file], {
    cwd: '/',
    // Nothing of ours: no NODE_OPTIONS, no marker, no secret.
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  });
  const input = child.stdin as Writable & { unref(): void; ref(): void };
  const reports = child.stdout as Readable & { unref(): void; ref(): void };
  const output = child.stdio[3] as Readable & { unref(): void; ref(): void };
  // A guardian that is gone shows in `gone`; what was written to it does not matter then.
  input.on('error', () => {});
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const handles = [child, input, reports, output];
  for (const handle of handles) handle.unref();

  return {
    gone,
    launch(launch, onReport, onOutput) {
      for (const handle of handles) handle.ref();
      let pending = '';
      reports.setEncoding('utf8');
      reports.on('data', (text: string) => {
        const lines = (pending + text).split('\n');
        pending = lines.pop() ?? '';
        for (const line of lines) onReport(JSON.parse(line) as GuardianReport);
      });
      output.on('data', onOutput);
      input.write(`${JSON.stringify(launch)}\n`);
    },
    end() {
      input.write('end\n');
    },
    dispose() {
      input.end();
      reports.resume();
      output.resume();
    },
  };
}
