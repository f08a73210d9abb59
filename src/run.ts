// One command from process to exit status: fast paths, parse, dispatch, and the only catch-all of the program (06, 08).

import { constants } from 'node:os';
import type { HelpOf } from './cli/find-help.js';
import type { Globals, Parsed } from './cli/parse.js';
import type { CommandSpec, Request } from './cli/spec.js';
import { type Context, createContext, openEnvironment, openOutside, repositoryDoor } from './context.js';
import { EXIT, isOwlError, OwlError } from './domain/errors.js';
import type { StreamSet } from './output/streams.js';
import { catchSignals } from './system/signals.js';

const NO_GLOBALS: Globals = { directories: [], json: false, color: undefined, quiet: false, verbose: false };

/** How long a command that was told to end may take to put things in order. */
const GRACE = 30_000;

/** Runs the command line of this process. `root` is the folder of the installed program. Never rejects. */
export async function run(source: NodeJS.Process, root: string): Promise<number> {
  const argv = source.argv.slice(2);
  const signals = catchSignals(source);
  let json = false;
  let streams: StreamSet | undefined;
  let context: Context | undefined;
  const open = async (given: Globals): Promise<StreamSet> => {
    json = given.json;
    const environment = openEnvironment(source, given.directories);
    streams = await openOutside(source, environment, { directory: environment.cwd, ...given });
    return streams;
  };
  try {
    const parsed = await parseWords(argv);
    if (parsed.kind === 'version')
      return await printVersion(await open({ ...NO_GLOBALS, json: argv.includes('--json') }), argv);
    if (parsed.kind === 'help') return await printHelp(await open(parsed.globals), parsed.of);
    const opened = await open(parsed.globals);
    context = await openContext(source, root, parsed, opened, signals.signal);
    refuseInside(parsed.spec, parsed.request, context);
    const stands: string[] = [];
    const command = dispatch(parsed.spec, parsed.request, context, stands);
    const exit = await signals.bounded(command, GRACE);
    return await exitStatus(exit, opened, signals.received(), stands);
  } catch (error) {
    const fault = signals.received() !== null && !isOwlError(error) ? endedBy(signals.received(), error) : error;
    const opened = streams ?? (await open(await guess(argv)));
    return await exitStatus(await reportFailure(fault, source, opened, json), opened, signals.received());
  } finally {
    streams?.progress.done();
    await context?.close().catch(() => {});
    await Promise.all([streams?.stdout.flush(), streams?.stderr.flush()]);
    signals.release();
  }
}

type Line =
  | { readonly kind: 'version' }
  | { readonly kind: 'help'; readonly of: HelpOf; readonly globals: Globals }
  | ({ readonly kind: 'command' } & Parsed);

/** Version and help are answered without yargs (P1). */
async function parseWords(argv: readonly string[]): Promise<Line> {
  if (argv[0] === '--version') return { kind: 'version' };
  const { findHelp } = await import('./cli/find-help.js');
  const help = findHelp(argv);
  if (help !== null) return { kind: 'help', of: help, globals: await guess(argv) };
  if (argv.some((word) => word.includes('\uFFFD'))) (await import('./cli/argv-bytes.js')).refuseReplaced(argv);
  const { parse } = await import('./cli/parse.js');
  return { kind: 'command', ...parse(argv) };
}

const guess = async (argv: readonly string[]): Promise<Globals> =>
  (await import('./cli/find-help.js')).guessGlobals(argv);

async function openContext(
  source: NodeJS.Process,
  root: string,
  parsed: Parsed,
  streams: StreamSet,
  signal: AbortSignal,
): Promise<Context> {
  const environment = openEnvironment(source, parsed.globals.directories);
  const { request, globals } = parsed;
  const repository = repositoryDoor(environment, streams, globals.verbose);
  if (parsed.spec.anywhere !== true) await lookAhead(repository);
  const [{ systemIds }, { COMMANDS }] = await Promise.all([import('./system/ids.js'), import('./cli/table.js')]);
  return createContext({
    options: {
      directory: environment.cwd,
      json: globals.json,
      quiet: globals.quiet,
      verbose: globals.verbose,
      dryRun: request.flag('dry-run'),
      requestId: request.text('request-id'),
      trust: request.flag('trust') || environment.variables['OWL_TRUST'] === '1',
      argv: source.argv.slice(2),
    },
    environment,
    streams,
    signal,
    root,
    commands: COMMANDS,
    ids: systemIds(),
    repository,
  });
}

async function dispatch(spec: CommandSpec, request: Request, context: Context, stands: string[]): Promise<number> {
  const [command, { printReport }] = await Promise.all([spec.load(), import('./cli/print-report.js')]);
  const shares = await mayShare(spec, context);
  const share = async (): Promise<void> =>
    shares ? (await import('./app/sync/auto.js')).syncByItself(context) : undefined;
  await share();
  const report = await command.run(context, request);
  await share();
  if (report.effect !== undefined) stands.push(report.effect);
  return printReport(report, request, context.streams, context.options);
}

/** A command that changes the state of a clone whose state is shared: `sync.auto` is asked for (05, S1). */
async function mayShare(spec: CommandSpec, context: Context): Promise<boolean> {
  if (!spec.writes || spec.anywhere === true || spec.name === 'sync') return false;
  if (context.options.dryRun || context.environment.insideJob !== null) return false;
  const notes = await context.notes().catch(() => null);
  return notes !== null && (await notes.read('shared').catch(() => null)) !== null;
}

/** Git looks for the repository while the command is loaded (P2). Why it finds none, the command is told when it asks itself. */
async function lookAhead(repository: () => Promise<unknown>): Promise<void> {
  repository().catch(() => {});
  await import('./git/open.js');
}

/** Inside a Run, and inside a push that is being received, only reading is allowed (J16; 01). `add` asks the policy itself. */
function refuseInside(spec: CommandSpec, request: Request, context: Context): void {
  const { insideJob, variables } = context.environment;
  const words = [...Object.values(request.args), ...request.rest];
  const writes = spec.writes || (spec.writesWith ?? []).some((word) => request.flag(word) || words.includes(word));
  if (!writes) return;
  // What a Skill may ask for goes through the one control (G42, G63).
  const asks = Boolean(variables['OWL_SKILL']) && spec.asks === true;
  if (insideJob !== null && spec.name !== 'add' && !asks) {
    throw new OwlError('inside-a-run', `git owl ${spec.name} is refused inside a Run (OWL_JOB is ${insideJob})`, {
      preserved: ['nothing was changed'],
      next: ['git owl status'],
    });
  }
  if (variables['GIT_QUARANTINE_PATH']) {
    throw new OwlError(
      'quarantine',
      `git owl ${spec.name} is refused while Git receives a push (GIT_QUARANTINE_PATH is set)`,
      {
        preserved: ['nothing was changed'],
      },
    );
  }
}

async function printVersion(streams: StreamSet, argv: readonly string[]): Promise<number> {
  if (argv.includes('--json')) {
    const { encodeJson, success } = await import('./output/json.js');
    streams.stdout.write(encodeJson(success('version', { version: OWL_VERSION })));
  } else streams.stdout.line(`git-owl version ${OWL_VERSION}`);
  return EXIT.ok;
}

async function printHelp(streams: StreamSet, { spec, noun }: HelpOf): Promise<number> {
  const [{ overview, commandHelp, nounHelp }, { COMMANDS }] = await Promise.all([
    import('./cli/help.js'),
    import('./cli/table.js'),
  ]);
  const { theme, width } = streams.stdout;
  const whole = noun === null ? overview(COMMANDS, theme) : nounHelp(noun, COMMANDS, theme);
  for (const line of spec === null ? whole : commandHelp(spec, theme, width)) streams.stdout.line(line);
  return EXIT.ok;
}

async function reportFailure(
  error: unknown,
  source: NodeJS.Process,
  streams: StreamSet,
  json: boolean,
): Promise<number> {
  const { printFailure } = await import('./cli/print-report.js');
  const exit = printFailure(error, streams, json);
  if (source.env['OWL_DEBUG'] === '1' && error instanceof Error) streams.stderr.write(`${error.stack ?? ''}\n`);
  return exit;
}

const endedBy = (signal: NodeJS.Signals | null, cause: unknown): OwlError =>
  new OwlError('interrupted', `ended by ${signal}`, { next: ['git owl status'], cause });

/** A signal decides over what the command said; results that could not be written over a success. */
async function exitStatus(
  exit: number,
  streams: StreamSet,
  signal: NodeJS.Signals | null,
  stands: readonly string[] = [],
): Promise<number> {
  if (signal !== null) return 128 + constants.signals[signal];
  await streams.stdout.flush();
  const failure = streams.stdout.failure();
  if (exit !== EXIT.ok || failure === null) return exit;
  const { printError } = await import('./cli/print-report.js');
  const code = 'code' in failure ? String(failure.code) : failure.message;
  printError(
    { code: 'storage', message: `cannot write to standard output (${code})`, preserved: stands, next: [] },
    streams.stderr,
  );
  return EXIT.environment;
}
