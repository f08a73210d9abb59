// A yes for what a schema accepts, without the copies that a full validation makes: lists read ten thousand records (10, P4).
// It says yes only where valibot would; a no means nothing, and valibot is asked.

import type * as v from 'valibot';

export type Check = (value: unknown) => boolean;

/** As valibot's objects are made; only what is looked at here. */
interface Node {
  readonly type: string;
  readonly kind?: string;
  readonly entries?: Readonly<Record<string, Node>>;
  readonly item?: Node;
  readonly wrapped?: Node;
  readonly pipe?: readonly Node[];
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
  readonly requirement?: unknown;
  readonly check?: Check;
}

/** A kind of schema that is not known here makes a check that never says yes. */
export const quickCheck = (schema: v.GenericSchema): Check => compile(schema as unknown as Node);

const never: Check = () => false;

function compile(node: Node): Check {
  if (node.pipe !== undefined)
    return all(node.pipe.map((step, at) => (at === 0 ? compileOne(step) : compileAction(step))));
  return compileOne(node);
}

function compileOne(node: Node): Check {
  switch (node.type) {
    case 'string':
      return (value) => typeof value === 'string';
    case 'boolean':
      return (value) => value === true || value === false;
    case 'number':
      return (value) => typeof value === 'number' && !Number.isNaN(value);
    case 'unknown':
      return () => true;
    case 'literal':
      return (value) => value === node.literal;
    case 'picklist': {
      const options = new Set(node.options);
      return (value) => options.has(value);
    }
    case 'custom':
      return node.check ?? never;
    case 'nullable': {
      const inner = node.wrapped === undefined ? never : compile(node.wrapped);
      return (value) => value === null || inner(value);
    }
    case 'optional': {
      const inner = node.wrapped === undefined ? never : compile(node.wrapped);
      return (value) => value === undefined || inner(value);
    }
    case 'array': {
      const inner = node.item === undefined ? never : compile(node.item);
      return (value) => Array.isArray(value) && value.every(inner);
    }
    case 'loose_object':
      return compileObject(node.entries ?? {});
    default:
      return never;
  }
}

function compileObject(entries: Readonly<Record<string, Node>>): Check {
  const fields = Object.entries(entries).map(([key, node]) => ({
    key,
    check: compile(node),
    optional: node.type === 'optional',
  }));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const record = value as Readonly<Record<string, unknown>>;
    for (const { key, check, optional } of fields) {
      const field = record[key];
      if (field === undefined ? !optional : !check(field)) return false;
    }
    return true;
  };
}

function compileAction(node: Node): Check {
  const limit = node.requirement;
  switch (node.type) {
    case 'integer':
      return (value) => Number.isInteger(value);
    case 'min_value':
      return (value) => typeof value === 'number' && typeof limit === 'number' && value >= limit;
    case 'max_value':
      return (value) => typeof value === 'number' && typeof limit === 'number' && value <= limit;
    case 'non_empty':
      return (value) => typeof value === 'string' && value.length > 0;
    default:
      return never;
  }
}

const all =
  (checks: readonly Check[]): Check =>
  (value) =>
    checks.every((check) => check(value));
