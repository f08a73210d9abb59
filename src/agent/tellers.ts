// The events of each program, told in its order: null for a kind that is not known. Recorded lines of theirs are in the tests (09).

import { child, isObject, type Json, list, text } from './presets/json-stream.js';

/** One step of what an agent did. `piece`: text that goes on in the next event. */
export type Told =
  | { readonly said: string }
  | { readonly piece: string }
  | { readonly did: string; readonly with: unknown }
  | { readonly trouble: string };

export interface Teller {
  /** Is this how one of its streams begins? */
  knows(event: Json): boolean;
  tell(event: Json): readonly Told[] | null;
}

const NOTHING: readonly Told[] = [];
const said = (words: string | null): readonly Told[] => (words === null ? NOTHING : [{ said: words }]);
const trouble = (words: string | null): readonly Told[] => (words === null ? NOTHING : [{ trouble: words }]);

const claude: Teller = {
  knows: ({ type, subtype }) => (type === 'system' && typeof subtype === 'string') || type === 'rate_limit_event',
  tell(event) {
    const parts = list(child(event, 'message'), 'content').filter(isObject);
    switch (event['type']) {
      case 'system':
        return event['subtype'] === 'api_retry'
          ? trouble(`it tries again: ${text(event, 'error') ?? 'no reason'}`)
          : NOTHING;
      case 'assistant':
        return parts.flatMap((part) =>
          part['type'] === 'text'
            ? said(text(part, 'text'))
            : part['type'] === 'tool_use'
              ? [{ did: text(part, 'name') ?? 'a tool', with: part['input'] }]
              : NOTHING,
        );
      case 'user':
        return parts.flatMap((part) => (part['is_error'] === true ? trouble(resultText(part['content'])) : NOTHING));
      case 'result':
        // Of a success it repeats what was said last.
        return event['is_error'] === true || event['subtype'] !== 'success'
          ? trouble(text(event, 'result') ?? text(event, 'subtype'))
          : NOTHING;
      case 'rate_limit_event':
        return child(event, 'rate_limit_info')['status'] === 'rejected' ? trouble('a usage limit is reached') : NOTHING;
      case 'stream_event':
      case 'control_request':
      case 'control_response':
        return NOTHING;
      default:
        return null;
    }
  },
};

/** A string, or parts of which some are text. */
const resultText = (content: unknown): string | null =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content
          .filter(isObject)
          .flatMap((part) => text(part, 'text') ?? [])
          .join('\n')
      : null;

const codex: Teller = {
  knows: ({ type }) => /^(?:thread|turn|item)\./.test(String(type)),
  tell(event) {
    switch (event['type']) {
      case 'item.completed':
        return codexItem(child(event, 'item'));
      case 'turn.failed':
        return trouble(text(child(event, 'error'), 'message'));
      case 'error':
        return trouble(text(event, 'message'));
      case 'thread.started':
      case 'turn.started':
      case 'turn.completed':
      case 'item.started':
      case 'item.updated':
        return NOTHING;
      default:
        return null;
    }
  },
};

function codexItem(item: Json): readonly Told[] | null {
  switch (item['type']) {
    case 'agent_message':
      return said(text(item, 'text'));
    case 'command_execution': {
      const exit = item['exit_code'];
      const failed =
        typeof exit === 'number' && exit !== 0
          ? trouble(`exit ${exit}: ${text(item, 'aggregated_output') ?? ''}`)
          : NOTHING;
      return [{ did: 'command', with: text(item, 'command') }, ...failed];
    }
    case 'file_change':
      return list(item, 'changes')
        .filter(isObject)
        .map((change) => ({ did: text(change, 'kind') ?? 'change', with: text(change, 'path') }));
    case 'mcp_tool_call':
      return [
        { did: `${text(item, 'server') ?? ''} ${text(item, 'tool') ?? 'a tool'}`.trim(), with: item['arguments'] },
      ];
    case 'web_search':
      return [{ did: 'web search', with: text(item, 'query') }];
    case 'error':
      return trouble(text(item, 'message'));
    case 'reasoning':
    case 'todo_list':
      return NOTHING;
    default:
      return null;
  }
}

const opencode: Teller = {
  knows: ({ sessionID }) => typeof sessionID === 'string',
  tell(event) {
    const part = child(event, 'part');
    switch (event['type']) {
      case 'text':
        return said(text(part, 'text'));
      case 'tool_use': {
        const state = child(part, 'state');
        const failed = state['status'] === 'error' ? trouble(text(state, 'error')) : NOTHING;
        return [{ did: text(part, 'tool') ?? 'a tool', with: state['input'] }, ...failed];
      }
      case 'error': {
        const error = child(event, 'error');
        return trouble(text(child(error, 'data'), 'message') ?? text(error, 'name'));
      }
      case 'step_start':
      case 'step_finish':
      case 'reasoning':
      case 'done':
        return NOTHING;
      default:
        return null;
    }
  },
};

const gemini: Teller = {
  knows: ({ type, session_id: session }) => type === 'init' && typeof session === 'string',
  tell(event) {
    switch (event['type']) {
      case 'message': {
        const words = text(event, 'content') ?? '';
        // What the user said is the prompt.
        if (event['role'] !== 'assistant') return NOTHING;
        return event['delta'] === true ? [{ piece: words }] : said(words);
      }
      case 'tool_use':
        return [{ did: text(event, 'tool_name') ?? 'a tool', with: event['parameters'] }];
      case 'tool_result':
        return event['status'] === 'error'
          ? trouble(text(child(event, 'error'), 'message') ?? text(event, 'output'))
          : NOTHING;
      case 'error':
        return trouble(text(event, 'message'));
      case 'result':
        // It ends what was said in pieces.
        return event['status'] === 'success' ? said('') : trouble(text(child(event, 'error'), 'message'));
      case 'init':
        return NOTHING;
      default:
        return null;
    }
  },
};

/** Its events are not documented: what has words, a tool or an error is told, the rest is passed over. */
const copilot: Teller = {
  knows: ({ type, data }) => /^(?:session|assistant|user)\./.test(String(type)) && isObject(data),
  tell(event) {
    const data = child(event, 'data');
    const type = text(event, 'type') ?? '';
    if (type === 'assistant.message') return said(text(data, 'content'));
    if (type === 'session.error') return trouble(text(data, 'message'));
    const tool = type === 'tool.execution_start' ? text(data, 'toolName') : null;
    return tool === null ? NOTHING : [{ did: tool, with: data['arguments'] }];
  },
};

export const tellers: readonly Teller[] = [claude, codex, opencode, gemini, copilot];
