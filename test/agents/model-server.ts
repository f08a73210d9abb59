// A model on loopback that does what a script says: it speaks the formats of the programs and calls their own tools, so that
// the programs, not we, edit files and commit. It answers by what is in the request alone, and remembers nothing of it.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Ask, Json, Refusal, Turn, Wire } from './wire.js';
import { anthropic } from './wire-anthropic.js';
import { chat } from './wire-chat.js';
import { countTokens, gemini } from './wire-gemini.js';
import { responses } from './wire-responses.js';

const WIRES: readonly Wire[] = [anthropic, responses, chat, gemini];

/** `silent`: it takes the request and never answers. */
export type Behaviour = ((ask: Ask) => Turn) | Refusal | 'silent';

export interface ModelServer {
  readonly port: number;
  /** `method path -> status` of all requests so far; of one that was not answered, `-> …`. */
  readonly requests: readonly string[];
  /** What the model was asked, without titles and the like. */
  readonly asked: readonly Ask[];
  /** What it did to a request nobody had thought of. Empty: it understood everything that matters. */
  readonly unknown: readonly string[];
  /** From now on it behaves like this. */
  become(next: Behaviour): void;
  close(): Promise<void>;
}

export async function modelServer(first: Behaviour): Promise<ModelServer> {
  let behaviour = first;
  const requests: string[] = [];
  const asked: Ask[] = [];
  const unknown: string[] = [];
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const index = requests.push(`${request.method} ${path} -> …`) - 1;
    response.on('error', () => {});
    const send = ({ status, headers = {}, body }: Answer): void => {
      requests[index] = `${request.method} ${path} -> ${status}`;
      response.writeHead(status, headers).end(body);
    };
    const json = (value: Json): void =>
      send({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) });
    const body = await readBody(request);
    if (body === null) return;
    if (path.includes('count_tokens')) return json({ input_tokens: 10 });
    if (path.includes(':countTokens')) return json(countTokens(body));
    const wire = request.method === 'POST' ? WIRES.find((one) => one.matches(path)) : undefined;
    if (wire === undefined) {
      unknown.push(`${request.method} ${path}`);
      return send({
        status: 404,
        headers: { 'content-type': 'application/json' },
        body: '{"error":{"message":"not found"}}',
      });
    }
    const ask = wire.read(body, path);
    if (behaviour === 'silent') {
      asked.push(ask);
      return;
    }
    if (typeof behaviour === 'string') return send(wire.refuse(behaviour));
    if (ask.tools.length === 0) return send(wire.answer({ say: 'A title' }, ask));
    asked.push(ask);
    const turn = behaviour(ask);
    send(wire.answer('say' in turn ? turn : wire.call(turn, ask.tools), ask));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    asked,
    unknown,
    become: (next) => {
      behaviour = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Null: it went away before it had said what it wanted. */
async function readBody(request: IncomingMessage): Promise<Json | null> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part as Buffer);
  } catch {
    return null;
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString() || '{}') as Json;
  } catch {
    return {};
  }
}
