// The program that Git starts between itself and a server, in the place of receive-pack, ssh or send-pack (M8): it makes the one
// request of its plan on that connection. Git itself is on a dry run and sends nothing.

import { spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { decideExchange, FLUSH, firstRef, parseReport, pktLine } from './exchange.js';
import { type Packets, packetsOf } from './packets.js';
import type { FencePlan, FenceResult } from './plan.js';

const [mode = '', planFile = '', ...words] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(planFile, 'utf8')) as FencePlan;
/** Whole or not at all: it is read as soon as Git has ended, however that was. */
function result(value: FenceResult): void {
  writeFileSync(`${planFile}.new`, JSON.stringify(value));
  renameSync(`${planFile}.new`, `${planFile}.result`);
}

/** `command` is of the shell, as Git itself takes it; the arguments are handed on. */
const start = (command: string, args: readonly string[], stdio: 'inherit' | 'pipe') =>
  spawn('/bin/sh', ['-c', `${command} "$@"`, command, ...args], { stdio: [stdio, stdio, 'inherit'] });

/** Over a connection of its own: the server is a child, Git reads our output. */
async function onConnection(command: string, args: readonly string[]): Promise<number> {
  // Git asks an ssh that it does not know by name which options it takes.
  if (mode === 'ssh' && words[1] === '-G') return ended(start(command, args, 'inherit'));
  const server = start(command, args, 'pipe');
  const code = ended(server);
  const input = server.stdin as Writable;
  input.on('error', () => {});
  const packets = packetsOf(server.stdout as Readable);
  const lines = await packets.section();
  if (lines !== null) {
    const exchange = decideExchange(plan, lines);
    if (exchange.kind === 'nothing') result(exchange.result);
    else {
      result({ kind: 'unanswered' });
      input.write(Buffer.concat([...exchange.commands.map(pktLine), FLUSH, exchange.pack]));
      result(parseReport(plan, await packets.section()));
    }
    // Git is to see a server that is well, and goes its way.
    process.stdout.write(Buffer.concat([...lines.map(pktLine), FLUSH]));
  }
  input.end(lines === null ? undefined : FLUSH);
  // Git still sends its own end of the request: were nobody there to take it, it would be ended by SIGPIPE.
  if (lines !== null) await readToEnd(process.stdin);
  return code;
}

async function readToEnd(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

const ended = (child: ReturnType<typeof spawn>): Promise<number> =>
  new Promise((resolve) => {
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code ?? 255));
  });

/** Smart HTTP: what `send-pack --stateless-rpc` reads and writes, one request and one answer. */
async function asSendPack(): Promise<number> {
  const packets: Packets = packetsOf(process.stdin);
  // The refspecs of the dry run, then what the server shows.
  await packets.section();
  const lines = await packets.section();
  if (lines === null) return 1;
  const exchange = decideExchange(plan, lines);
  if (exchange.kind === 'nothing') result(exchange.result);
  else {
    result({ kind: 'unanswered' });
    const body = Buffer.concat([...exchange.commands.map(pktLine), FLUSH, exchange.pack]);
    const pieces: Buffer[] = [];
    for (let at = 0; at < body.length; at += PIECE) pieces.push(pktLine(body.subarray(at, at + PIECE)));
    process.stdout.write(Buffer.concat([...pieces, FLUSH]));
    result(parseReport(plan, await packets.section()));
  }
  process.stdout.write(Buffer.concat([FLUSH, Buffer.from(`ok ${firstRef(plan)}\n\n`)]));
  return 0;
}

/** Below the most that one pkt-line holds. */
const PIECE = 65_000;

const run = mode === 'http' ? asSendPack() : onConnection(words[0] ?? '', words.slice(1));
run.then((code) => {
  process.exitCode = code;
});
