// The work of a Round, as its agent is asked for it: the Goal's intent, what earlier Rounds were asked and what became of them, and what
// of another Round's Candidate is there already (G11, G44). Pure.

import { type EarlierRound, earlierRounds } from './earlier-rounds.js';
import type { Evidence, Goal, Round } from './goal.js';
import { record } from './prompt.js';

/** `evidence`: all of the Goal, oldest first. */
export function promptOf(
  goal: Pick<Goal, 'title'>,
  round: Round,
  rounds: readonly Round[],
  evidence: readonly Evidence[],
): string {
  const earlier = earlierRounds(round.number, rounds, evidence);
  const parts = [
    `# ${goal.title}`,
    round.request.trim(),
    ...takenOver(round),
    ...(earlier.length === 0 ? [] : ['## Earlier Rounds of this Goal, oldest first', ...earlier.flatMap(sayEarlier)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

const sayEarlier = ({ number, request, became, stopped }: EarlierRound): readonly string[] => [
  `### Round ${number}\n\n${request.trim()}`,
  became,
  ...(stopped.length === 0 ? [] : [record(`What stopped Round ${number}`, stopped.join('\n'))]),
];

function takenOver({ from, left_out: leftOut }: Round): readonly string[] {
  if (from === null) return [];
  const said = `## Taken over from Round ${from}\n\nThe branch begins with what that Round changed, replayed onto the target as it is now.`;
  if (leftOut.length === 0) return [said];
  const what = `${said} What did not apply was left out: these paths are as the target has them.`;
  return [what, record(`Paths of Round ${from} that were left out`, leftOut.map(sayPath).join('\n'))];
}

/** One line each, whatever is in a name. */
const sayPath = (path: string): string => (/[\x00-\x1f\x7f]/.test(path) ? JSON.stringify(path) : path);
