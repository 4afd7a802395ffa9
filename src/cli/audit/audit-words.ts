import type { AuditDetails, AuditEntry } from '../../domain/audit.ts';
import { namedDetails } from '../present.ts';
import { type Columns, pairs, table } from '../table.ts';

/** Returns all fields of an audit entry as text. */
export function auditWords(entry: AuditEntry): string {
  const { before = {}, after = {}, about = {} } = namedDetails(entry);
  const heading = pairs({
    Id: entry.id,
    At: `${entry.at} UTC`,
    Action: entry.action,
    Subject: subjectOf(entry),
    By: `${actorOf(entry)}, for user ${entry.userId}`,
    From: entry.origin,
    ...Object.fromEntries(Object.entries(about).map(([name, value]) => [name, text(value)])),
  });
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  if (names.length === 0) return heading;
  const valueIn = (values: Readonly<Record<string, unknown>>) => (name: string) =>
    values[name] == null ? null : text(values[name]);
  const changes = table(names, { VALUE: String, BEFORE: valueIn(before), AFTER: valueIn(after) });
  return `${heading}\n\n${changes}`;
}

/** `license:12`, `licenses` for several, `master_key` or `signing_keys`. */
function subjectOf({ subject: { type, id } }: AuditEntry): string {
  if (id !== null) return `${type}:${id}`;
  return type === 'master_key' ? type : `${type}s`;
}

const actorOf = ({ via, apiKeyId }: AuditEntry): string => (apiKeyId === null ? via : `API key ${apiKeyId}`);

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** `status active → disabled` for a change, otherwise the values of the record. */
function changeOf({ before, after, about }: AuditDetails): string {
  const changes =
    before && after
      ? Object.keys(after).map((name) => `${name} ${text(before[name])} → ${text(after[name])}`)
      : Object.entries(after ?? before ?? {})
          .filter(([name, value]) => value !== null && !name.startsWith('created_'))
          .map(([name, value]) => `${name} ${text(value)}`);
  const more = Object.entries(about ?? {}).map(([name, value]) => `${name} ${text(value)}`);
  return [...changes, ...more].join(', ');
}

const WHAT_MAX = 80;
const shortened = (what: string): string => {
  const characters = [...what];
  return characters.length <= WHAT_MAX ? what : `${characters.slice(0, WHAT_MAX - 1).join('')}…`;
};

export const AUDIT_COLUMNS: Columns<AuditEntry> = {
  ID: 'id',
  'AT (UTC)': 'at',
  ACTION: 'action',
  SUBJECT: subjectOf,
  BY: actorOf,
  FROM: 'origin',
  WHAT: (entry) => shortened(changeOf(namedDetails(entry))),
};
