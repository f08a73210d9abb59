// What the four wire formats have in common: what a program asks its model, and what the model answers. One file a format.

export type Json = Record<string, unknown>;

/** What the model is asked, whatever the format. */
export interface Ask {
  /** All that was said by the user and the program's own instructions to it, in order. */
  readonly prompt: string;
  /** The outputs of the tools that were called so far, in order: their number is the turn of the script. */
  readonly results: readonly string[];
  /** Names of the tools that the program offers; none: it asks for a title or a summary of its own. */
  readonly tools: readonly string[];
  readonly stream: boolean;
}

/** What the model does in one turn of a script: it says something (and ends), runs a command line, or writes a file. */
export type Turn =
  | { readonly say: string }
  | { readonly run: string }
  | { readonly write: string; readonly text: string };

/** A tool call in a program's own words. */
export interface Call {
  readonly name: string;
  readonly input: Json;
}

/** How the provider refuses. `limit`: the usage limit of the account; `key`: 401; `broken`: 500. */
export type Refusal = 'limit' | 'key' | 'broken';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Server-sent events, or one document. */
  readonly body: string;
}

export interface Wire {
  /** Is this request one of the format's? */
  matches(path: string): boolean;
  read(body: Json, path: string): Ask;
  /** The tool call by which this turn is carried out. `offered`: the tools of the request. */
  call(turn: Exclude<Turn, { say: string }>, offered: readonly string[]): Call;
  answer(reply: { readonly say: string } | Call, ask: Ask): Answer;
  refuse(why: Refusal): Answer;
}

/** Seconds since the epoch at which the usage limit of `refuse('limit')` lifts: three hours from now. */
export const limitLifts = (): number => Math.floor(Date.now() / 1000) + 3 * 3600;

let last = 0;
/** A new id such as `msg_1`. */
export const newId = (kind: string): string => {
  last += 1;
  return `${kind}_${last}`;
};

export const document = (value: Json, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

/** Server-sent events; an event that has a `type` is named by it when `named`. */
export const events = (list: readonly Json[], named: boolean, end = ''): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: `${list.map((event) => `${named ? `event: ${event['type']}\n` : ''}data: ${JSON.stringify(event)}\n\n`).join('')}${end}`,
});

/** All text in a content that is a string, a part with `text` (or `content`), or a list of these. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  if (typeof content !== 'object' || content === null) return '';
  const part = content as Json;
  return textOf(part['text'] ?? part['content'] ?? part['output'] ?? '');
}

export const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** The command line that writes a file, where a program has no tool for it. */
export const writing = (path: string, text: string): string =>
  `mkdir -p "$(dirname '${path}')" && cat > '${path}' <<'END-OF-FILE'\n${text.replace(/\n$/, '')}\nEND-OF-FILE`;
