// The JSON Schema of the configuration, made from the schema that the loader uses. Only for the build: it needs a development dependency.

import { toJsonSchema } from '@valibot/to-json-schema';
import { CONFIG_KEYS } from './keys.js';
import { baseFileSchema, PRESET_NAMES, userFileSchema } from './schema.js';

type Node = { [key: string]: unknown };

/**
 * The schema of `.coding-owl.yaml`; with `user`, of the user's own file. It accepts what the loader accepts, but for rules that
 * need two values: names used twice, and an `agent` that is not named.
 */
export function configJsonSchema(which: 'base' | 'user' = 'base'): Readonly<Record<string, unknown>> {
  const made = toJsonSchema(which === 'base' ? baseFileSchema : userFileSchema, { target: 'draft-07' }) as Node;
  const { $schema, ...rest } = made;
  const schema: Node = {
    $schema,
    $id: `coding-owl${which === 'user' ? '-user' : ''}.schema.json`,
    title: which === 'base' ? 'git owl: configuration of a repository' : "git owl: a person's own configuration",
    ...rest,
    // An empty file is a configuration that says nothing.
    type: ['object', 'null'],
  };
  describe(schema, '');
  requireCommand(schema);
  return schema;
}

/** The meanings of the table, for editors that show them. */
function describe(node: Node, path: string): void {
  const key = CONFIG_KEYS.find((one) => one.path === path);
  if (key !== undefined) {
    node['description'] = key.meaning;
    if (key.default !== undefined && key.default !== null && key.path !== 'version') node['default'] = key.default;
  }
  const properties = node['properties'] as Record<string, Node> | undefined;
  for (const [name, child] of Object.entries(properties ?? {})) describe(child, path === '' ? name : `${path}.${name}`);
  const items = node['items'] as Node | undefined;
  if (items !== undefined) describe(items, `${path}[]`);
  const forms = (node['anyOf'] ?? node['oneOf']) as readonly Node[] | undefined;
  for (const form of forms ?? [])
    if (form['properties'] !== undefined) describe(form, path.endsWith('[]') ? path : '-');
  const values = node['additionalProperties'];
  if (typeof values === 'object' && values !== null) describe(values as Node, `${path}.<name>`);
}

/** `rules.ts`: an agent that is not named like a preset has a command or a preset. */
function requireCommand(schema: Node): void {
  const agents = (schema['properties'] as Record<string, Node>)['agents'] as Node;
  const definition = agents['additionalProperties'] as Node;
  agents['properties'] = Object.fromEntries(PRESET_NAMES.map((name) => [name, definition]));
  agents['additionalProperties'] = { ...definition, anyOf: [{ required: ['command'] }, { required: ['preset'] }] };
}
