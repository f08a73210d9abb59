// JSON Schemas of what is published and of the configuration, from the schemas that the program itself uses.
import { toJsonSchema } from '@valibot/to-json-schema';

const DRAFT = 'http://json-schema.org/draft-07/schema#';
const print = (schema) => `${JSON.stringify(schema, null, 2)}\n`;

const convert = (schema) => {
  const { $schema, ...rest } = toJsonSchema(schema, { target: 'draft-07', errorMode: 'ignore' });
  return rest;
};

/** File name below schema/ -> text. */
export function buildSchemas({ DATA_SCHEMAS, KINDS, errorSchema, configJsonSchema }) {
  const error = convert(errorSchema);
  const files = new Map();
  for (const kind of KINDS) {
    const { of, schema } = DATA_SCHEMAS[kind];
    const name = `git-owl/${kind}/v1`;
    files.set(
      `${kind}.schema.json`,
      print({
        $schema: DRAFT,
        $id: `${kind}.schema.json`,
        title: name,
        description: `git owl ${of}, with --json`,
        type: 'object',
        required: ['schema', 'ok', 'data'],
        properties: { schema: { const: name }, ok: { const: true }, data: convert(schema) },
      }),
    );
  }
  files.set(
    'error.schema.json',
    print({
      $schema: DRAFT,
      $id: 'error.schema.json',
      title: 'git-owl/error/v1',
      description: 'Any command that failed, with --json; `data`, where it is known all the same, is that of `kind`',
      type: 'object',
      required: ['schema', 'ok', 'error'],
      properties: {
        schema: { const: 'git-owl/error/v1' },
        ok: { const: false },
        error,
        kind: { enum: KINDS },
        // A failure may have data all the same, such as the Job that was blocked.
        data: { description: 'as in the schema of that kind' },
      },
      dependencies: { kind: ['data'], data: ['kind'] },
    }),
  );
  files.set('coding-owl.schema.json', print(configJsonSchema('base')));
  files.set('coding-owl-user.schema.json', print(configJsonSchema('user')));
  return files;
}
