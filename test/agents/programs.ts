// The programs: how each is pointed at the model on loopback, and told to ask nobody else. Nothing here changes how it
// works: permission modes, output and prompt are the preset's.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Program {
  /** Of the preset and the executable. */
  readonly name: string;
  /** Variables of the caller; those that are no credentials must stand in `pass`. */
  env(port: number): Readonly<Record<string, string>>;
  /** `env:` of the configuration. */
  readonly pass: readonly string[];
  /** Of the entry under `agents:`, where its own default needs a model that answers differently. */
  readonly model?: string;
  /** Files below HOME: path -> text. */
  files(port: number): Readonly<Record<string, string>>;
  /** Variables with which it works for a subscription instead of a key, where that is told apart. */
  readonly subscription?: Readonly<Record<string, string | undefined>>;
  /** What its reason says for each refusal of the model. */
  readonly says: { readonly key: RegExp; readonly broken: RegExp; readonly limit: RegExp };
  /** Does the provider's refusal say when the limit lifts? */
  readonly limitSaysWhen: boolean;
}

const url = (port: number): string => `http://127.0.0.1:${port}`;

const claude: Program = {
  name: 'claude',
  env: (port) => ({
    ANTHROPIC_API_KEY: 'key',
    ANTHROPIC_BASE_URL: url(port),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Ten by default: minutes.
    CLAUDE_CODE_MAX_RETRIES: '1',
    IS_SANDBOX: '1',
  }),
  pass: ['CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC', 'CLAUDE_CODE_MAX_RETRIES', 'IS_SANDBOX'],
  files: () => ({}),
  subscription: { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-token' },
  says: { key: /Invalid API key/, broken: /API Error: 500/, limit: /Request rejected \(429\)/ },
  limitSaysWhen: false,
};

const codex: Program = {
  name: 'codex',
  env: () => ({ OPENAI_API_KEY: 'key' }),
  pass: [],
  files: (port) => ({
    '.codex/config.toml': `model_provider = "loopback"
model = "gpt-5.1-codex"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.loopback]
name = "loopback"
base_url = "${url(port)}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`,
  }),
  says: {
    key: /401 Unauthorized: Incorrect API key provided/,
    broken: /high demand|500/,
    limit: /hit your usage limit/,
  },
  limitSaysWhen: true,
};

const opencode: Program = {
  name: 'opencode',
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
  pass: ['OPENCODE_DISABLE_AUTOUPDATE', 'OPENCODE_DISABLE_MODELS_FETCH', 'OPENCODE_DISABLE_LSP_DOWNLOAD'],
  files: (port) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      model: 'loopback/test',
      provider: {
        loopback: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url(port)}/v1`, apiKey: 'key' },
          models: { test: { name: 'test', limit: { context: 100_000, output: 4000 } } },
        },
      },
    }),
  }),
  says: { key: /Incorrect API key provided/, broken: /The server had an error/, limit: /exceeded your current quota/ },
  limitSaysWhen: false,
};

const gemini: Program = {
  name: 'gemini',
  env: (port) => ({ GEMINI_API_KEY: 'key', GOOGLE_GEMINI_BASE_URL: url(port) }),
  pass: [],
  // `auto` first asks a small model which one to take.
  model: 'gemini-2.5-pro',
  files: () => ({
    '.gemini/settings.json': JSON.stringify({
      // With a base address in the environment and without this it knows no way to sign in, and ends with 41.
      security: { auth: { selectedType: 'gemini-api-key' } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 2 },
    }),
  }),
  says: { key: /API key not valid/, broken: /An internal error has occurred/, limit: /exhausted your daily quota/ },
  limitSaysWhen: false,
};

export const PROGRAMS: readonly Program[] = [claude, codex, opencode, gemini];

/** Writes the program's own configuration into a HOME. */
export function configure(program: Program, home: string, port: number): void {
  for (const [path, text] of Object.entries(program.files(port))) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
}
