// What a repository's files say about how it is set up and tested, for `init`. Pure: it is given a way to read files.

export interface Detected {
  /** A command that makes a fresh checkout ready, such as `npm ci`. */
  readonly setup: readonly string[];
  readonly checks: readonly { readonly name: string; readonly run: string }[];
  /** The files that said so. */
  readonly from: readonly string[];
}

export interface Files {
  /** Text of a file below the top; null when there is none. */
  readonly read: (path: string) => string | null;
  readonly has: (path: string) => boolean;
}

type Rule = (files: Files) => Detected | null;

const found = (from: string, run: string, setup: readonly string[] = []): Detected => ({
  setup,
  checks: [{ name: 'test', run }],
  from: [from],
});

/** The first one that has something to say wins: what the project wrote down itself before what its language usually does. */
const RULES: readonly Rule[] = [packageScripts, makeTarget, justTarget, cargo, goModule, python, others];

/** The test command and what it needs; empty lists when nothing was recognised. */
export function detectProject(files: Files): Detected {
  for (const rule of RULES) {
    const detected = rule(files);
    if (detected !== null) return detected;
  }
  return { setup: [], checks: [], from: [] };
}

const MANAGERS = [
  { lock: 'pnpm-lock.yaml', name: 'pnpm', setup: 'pnpm install --frozen-lockfile' },
  { lock: 'yarn.lock', name: 'yarn', setup: 'yarn install --immutable' },
  { lock: 'bun.lock', name: 'bun', setup: 'bun install --frozen-lockfile' },
  { lock: 'bun.lockb', name: 'bun', setup: 'bun install --frozen-lockfile' },
  { lock: 'package-lock.json', name: 'npm', setup: 'npm ci' },
  { lock: 'npm-shrinkwrap.json', name: 'npm', setup: 'npm ci' },
] as const;

function packageScripts(files: Files): Detected | null {
  const text = files.read('package.json');
  if (text === null) return null;
  const script = testScript(text);
  // What `npm init` writes is no test.
  if (script === null || /no test specified/.test(script)) return null;
  const manager = MANAGERS.find(({ lock }) => files.has(lock));
  // Yarn 1 knows another word for the same.
  const setup =
    manager?.name === 'yarn' && !files.has('.yarnrc.yml') ? 'yarn install --frozen-lockfile' : manager?.setup;
  return found(
    'package.json',
    `${manager?.name === 'bun' ? 'bun run' : (manager?.name ?? 'npm')} test`,
    setup === undefined ? [] : [setup],
  );
}

function testScript(text: string): string | null {
  try {
    const script = (JSON.parse(text) as { scripts?: { test?: unknown } } | null)?.scripts?.test;
    return typeof script === 'string' && script.trim() !== '' ? script : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function makeTarget(files: Files): Detected | null {
  for (const name of ['GNUmakefile', 'makefile', 'Makefile']) {
    const target = /^(test|check)\s*:(?!=)/m.exec(files.read(name) ?? '')?.[1];
    if (target !== undefined) return found(name, `make ${target}`);
  }
  return null;
}

function justTarget(files: Files): Detected | null {
  for (const name of ['justfile', 'Justfile', '.justfile']) {
    if (/^test(?:\s[^:=\n]*)?:(?!=)/m.test(files.read(name) ?? '')) return found(name, 'just test');
  }
  return null;
}

function cargo(files: Files): Detected | null {
  return files.has('Cargo.toml') ? found('Cargo.toml', 'cargo test') : null;
}

function goModule(files: Files): Detected | null {
  return files.has('go.mod') ? found('go.mod', 'go test ./...') : null;
}

function python(files: Files): Detected | null {
  const project = files.read('pyproject.toml');
  const names = ['pytest.ini', 'tox.ini', 'conftest.py', 'tests/conftest.py'] as const;
  const from = project !== null && /pytest/.test(project) ? 'pyproject.toml' : names.find((name) => files.has(name));
  if (from === undefined) return null;
  if (files.has('uv.lock')) return found(from, 'uv run pytest', ['uv sync --locked']);
  if (files.has('poetry.lock')) return found(from, 'poetry run pytest', ['poetry install']);
  return found(from, 'python -m pytest');
}

const OTHERS = [
  ['mix.exs', 'mix test'],
  ['deno.json', 'deno test'],
  ['deno.jsonc', 'deno test'],
  ['gradlew', './gradlew test'],
  ['mvnw', './mvnw --batch-mode test'],
  ['pom.xml', 'mvn --batch-mode test'],
  ['Rakefile', 'rake test'],
  ['.rspec', 'bundle exec rspec'],
  ['phpunit.xml', 'vendor/bin/phpunit'],
  ['phpunit.xml.dist', 'vendor/bin/phpunit'],
  ['Package.swift', 'swift test'],
] as const;

function others(files: Files): Detected | null {
  const one = OTHERS.find(([name]) => files.has(name));
  return one === undefined ? null : found(one[0], one[1]);
}
