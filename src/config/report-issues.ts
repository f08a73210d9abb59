// From issues of one file to the error that names it: label, line, key, and what to run next.

import { OwlError } from '../domain/errors.js';
import type { ConfigIssue } from './issues.js';

/** The first issue is the sentence; all are in the error's data. */
export function configurationError(
  label: string,
  issues: readonly (ConfigIssue & { readonly line?: number | null })[],
): OwlError {
  const first = issues[0];
  const line = first?.line ?? null;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new OwlError(
    'configuration',
    `${label}${line === null ? '' : `:${line}`}: ${first?.message ?? 'not valid'}${more}`,
    {
      next: ['git owl config check'],
      data: {
        file: label,
        line,
        key: first?.key || null,
        issues: issues.map((issue) => ({ key: issue.key || null, line: issue.line ?? null, message: issue.message })),
      },
    },
  );
}
