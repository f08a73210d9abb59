// `trust`: shows the commands that the repository's configuration would run here, and remembers the answer (06).

import { loadInForce } from '../app/in-force.js';
import { openWorkbench } from '../app/workbench.js';
import type { Request } from '../cli/spec.js';
import { forgetTrust, rememberTrust, type TrustState, trustLines, trustQuestion, trustState } from '../config/trust.js';
import type { Context } from '../context.js';
import { OwlError } from '../domain/errors.js';
import type { LoadedPolicy } from '../domain/policy.js';
import type { Report } from '../output/report.js';
import type { Lines, Theme } from '../output/theme.js';

/** Throws OwlError `untrusted` where nobody can be asked or the answer was no, `storage`, and as `loadInForce`. */
export async function run(context: Context, request: Request): Promise<Report> {
  const bench = await openWorkbench(context);
  const place = { repository: bench.repository, environment: bench.environment };
  if (request.flag('revoke')) {
    const forgotten = context.options.dryRun ? 0 : await forgetTrust(place);
    return {
      kind: 'trust',
      data: { trusted: false, forgotten },
      view: (theme) => [
        theme.text(forgotten === 0 ? 'no answer was remembered here' : 'the answers for this repository are forgotten'),
      ],
    };
  }
  const { loaded } = await loadInForce(bench);
  // What is given for one command, here or by the environment, is no answer yet.
  const variables = { ...bench.environment.variables, OWL_TRUST: undefined };
  const state = await trustState({ ...place, environment: { ...bench.environment, variables }, given: false }, loaded);
  if (state.trusted || context.options.dryRun) return report(loaded, state, false);
  const given = request.flag('yes') || context.options.trust || bench.environment.variables['OWL_TRUST'] === '1';
  const asked = !given && bench.ask !== null;
  const yes = given || (bench.ask !== null && (await bench.ask(trustQuestion(loaded, state))));
  if (yes) {
    await rememberTrust(place, loaded);
    return report(loaded, { ...state, trusted: true, because: 'remembered' }, true, asked);
  }
  const shown = report(loaded, state, false, asked);
  const why = bench.ask === null ? 'nobody can be asked here' : 'the commands were not trusted';
  const error = new OwlError('untrusted', why, { next: ['git owl trust --yes'] });
  return {
    ...shown,
    exit: error.exit,
    error: { code: error.code, message: error.message, preserved: ['nothing was remembered'], next: error.next },
  };
}

/** `asked`: the question showed the commands already. */
function report(loaded: LoadedPolicy, state: TrustState, now: boolean, asked = false): Report {
  return {
    kind: 'trust',
    data: { trusted: state.trusted, digest: loaded.digest, commands: loaded.commands, difference: state.difference },
    view: (theme) => view(theme, loaded, state, now).slice(asked ? -1 : 0),
  };
}

function view(theme: Theme, loaded: LoadedPolicy, state: TrustState, now: boolean): Lines {
  if (loaded.commands.length === 0)
    return [theme.text("the repository's configuration runs no commands: nothing to trust")];
  const verdict = now ? 'trusted from now on' : state.trusted ? 'trusted already' : 'not trusted';
  const lines = trustLines(loaded, state).map(({ sign, key, command }) => {
    const text = theme.text(`${sign} ${key}: `);
    return `${text}${theme.command(command)}`;
  });
  return [...lines, (state.trusted ? theme.good : theme.warn)(verdict)];
}
