// A first signal asks, a second one ends, and an echo of the first is no second one (06).

import { EventEmitter } from 'node:events';
import { t } from 'tap';
import { catchSignals } from '../../../src/system/signals.js';

function ground() {
  const source = new EventEmitter();
  const killed: string[] = [];
  const process = Object.assign(source, { pid: 7, kill: (_: number, name: string) => killed.push(name) > 0 });
  let time = 0;
  const signals = catchSignals(process as unknown as NodeJS.Process, () => time);
  const send = (name: string, later: number): void => {
    time += later;
    source.emit(name, name);
  };
  return { signals, send, killed };
}

t.test('06: what Git passes on at once is the same Ctrl-C', async (t) => {
  const { signals, send, killed } = ground();
  send('SIGINT', 5_000);
  t.equal(signals.received(), 'SIGINT');
  t.ok(signals.signal.aborted);
  send('SIGINT', 1);
  send('SIGHUP', 100);
  t.same(killed, [], 'the work is brought to its end in order');
  send('SIGINT', 2_000);
  t.same(killed, ['SIGINT'], 'asked again it ends at once, by the signal itself');
});
