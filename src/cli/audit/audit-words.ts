import type { AuditDetails, AuditEntry, UsageCount } from '../../domain/audit.ts';
import { grouped, pairs, table } from '../table.ts';

/** Entries in a table; times are UTC. */
export const auditTable = (entries: readonly AuditEntry[]): string =>
  table(
    ['ID', 'AT (UTC)', 'ACTION', 'SUBJECT', 'BY', 'FROM', 'WHAT'],
    entries.map((entry) => [
      entry.id,
      entry.at,
      entry.action,
      subjectOf(entry),
      actorOf(entry),
      entry.origin,
      shortened(changeOf(entry.details)),
    ]),
  );

/** All of one entry. */
export function auditWords(entry: AuditEntry): string {
  const { before = {}, after = {}, about = {} } = entry.details;
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
  const rows = names.map((name) => [name, valueIn(before, name), valueIn(after, name)]);
  return `${heading}\n\n${table(['VALUE', 'BEFORE', 'AFTER'], rows)}`;
}

export const countsTable = (counts: readonly UsageCount[]): string =>
  table(
    ['DAY (UTC)', 'WHAT', 'COUNT'],
    counts.map(({ day, counted, count }) => [day, counted, grouped(count)]),
  );

/** `license:12`, `licenses` of many, and the one master key. */
function subjectOf({ subject: { type, id } }: AuditEntry): string {
  if (id !== null) return `${type}:${id}`;
  return type === 'master_key' ? type : `${type}s`;
}

const actorOf = ({ via, apiKeyId }: AuditEntry): string => (apiKeyId === null ? via : `API key ${apiKeyId}`);

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const valueIn = (values: Readonly<Record<string, unknown>>, name: string): string | null =>
  values[name] == null ? null : text(values[name]);

/** `status 3 → 5`, or what was made, or how many. */
function changeOf({ before, after, about }: AuditDetails): string {
  const both = before && after;
  const changes = both
    ? Object.keys(after).map((name) => `${name} ${text(before[name])} → ${text(after[name])}`)
    : [];
  const whole = Object.entries((both ? null : (after ?? before)) ?? {})
    .filter(([name, value]) => value !== null && !name.startsWith('created_'))
    .map(([name, value]) => `${name} ${text(value)}`);
  const more = Object.entries(about ?? {}).map(([name, value]) => `${name} ${text(value)}`);
  return [...changes, ...whole, ...more].join(', ');
}

const WHAT_MAX = 80;
const shortened = (what: string): string => {
  const characters = [...what];
  return characters.length <= WHAT_MAX ? what : `${characters.slice(0, WHAT_MAX - 1).join('')}…`;
};
