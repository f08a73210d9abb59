// `events` as fields, and for people: one line for each state commit (01, Writes; 06). Pure.

import type { StateEvent } from '../../domain/events.js';
import { type Cell, table } from '../table.js';
import type { Lines, Theme } from '../theme.js';
import { sayAge } from '../time.js';

export interface PublishedEvent {
  readonly commit: string;
  readonly event: string;
  readonly subject: string;
  readonly job: string | null;
  readonly goal: string | null;
  readonly run: string | null;
  readonly actor: string;
  readonly request: string | null;
  readonly time: string;
  readonly open: Readonly<Record<string, number>>;
}

export const EVENT_FIELDS = [
  'commit',
  'event',
  'subject',
  'job',
  'goal',
  'run',
  'actor',
  'request',
  'time',
  'open',
] as const satisfies readonly (keyof PublishedEvent)[];

export const eventFields = (event: StateEvent): PublishedEvent => ({
  commit: event.commit,
  event: event.event,
  subject: event.subject,
  job: event.job,
  goal: event.goal,
  run: event.run,
  actor: event.actor,
  request: event.request,
  time: event.time,
  open: event.open,
});

/** For a pipe: time, event, Job or Goal, Run, actor, subject. */
export function eventsView(items: readonly PublishedEvent[], theme: Theme, width: number, now: number): Lines {
  if (theme.terminal && items.length === 0) return ['nothing has happened yet'];
  const columns = [{ title: 'when' }, { title: 'event' }, { title: 'what', cut: true }, { title: 'who', cut: true }];
  return table(
    theme,
    width,
    columns,
    items.map((item): readonly Cell[] =>
      theme.terminal
        ? [
            { text: sayAge(item.time, now), role: 'dim' },
            { text: item.event, role: 'strong' },
            { text: item.subject },
            { text: item.actor, role: 'dim' },
          ]
        : [
            { text: item.time },
            { text: item.event },
            { text: item.job ?? item.goal ?? '' },
            { text: item.run ?? '' },
            { text: item.actor },
            { text: item.subject },
          ],
    ),
  );
}
