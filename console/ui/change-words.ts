import i18next from 'i18next';
import type { en } from '../messages/en/index.ts';
import { type DurationUnit, formatBytes, formatDuration, formatNumber, formatTime } from './format.ts';
import { SOURCES, STATUSES } from './licenses/license-status.ts';

/** The kind of record: 'license'. */
export type Kind = keyof typeof en.audit.subject;
/** Kinds whose records have no id. */
export const WITHOUT_ID: readonly Kind[] = ['master_key', 'signing_key'];

/** The text of a key; null if the language lacks the key. */
export function textOf(ns: string, key: string, values: object = {}): string | null {
  return i18next.exists(key, { ns: ns as never, ...values })
    ? String(i18next.t(key as never, { ns: ns as never, ...values }))
    : null;
}
const words = (key: string, values?: object): string => textOf('audit', key, values) ?? key;

/** The label of a field; its wire name if it has no label. */
export const fieldWords = (kind: Kind, name: string): string =>
  textOf('audit', `fieldOf.${kind}.${name}`) ?? textOf('audit', `field.${name}`) ?? name.replaceAll('_', ' ');

/** Formats a field's value for people: the name of a status, a time in the user's time zone. */
export function valueWords(kind: Kind, name: string, value: unknown): string {
  const known = WORDS[`${kind}.${name}`] ?? WORDS[name];
  const formatted = known?.(value);
  if (formatted) return formatted;
  if (value === null || value === undefined || value === '') return words('entry.none');
  if (typeof value === 'object' && Object.keys(value).length === 0) return words('entry.none');
  if (typeof value === 'boolean') return words(value ? 'yes' : 'no');
  if (typeof value === 'string') return TIME.test(name) && DATETIME.test(value) ? formatTime(value) : value;
  if (Array.isArray(value)) return value.map((one) => valueWords(kind, name, one)).join(', ');
  if (typeof value === 'object')
    // By the name of the field: customers and files choose the names in metadata.
    return Object.entries(value)
      .map(([part, one]) => `${part}: ${valueWords(kind, name, one)}`)
      .join(', ');
  return String(value);
}

/** 'Status: Active → Disabled' */
export const changeWords = (kind: Kind, name: string, was: unknown, is: unknown): string =>
  `${fieldWords(kind, name)}: ${valueWords(kind, name, was)} → ${valueWords(kind, name, is)}`;

/** The fields of times. Other texts, such as notes and labels, may look like times. */
const TIME = /_(at|until)$/;
const DATETIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** Formats one value; null falls back to the format of its type. */
type Words = (value: unknown) => string | null;
const named =
  (ns: string, prefix: string): Words =>
  (value) =>
    typeof value === 'string' ? textOf(ns, `${prefix}.${value}`) : null;
/** Names a value by its number, which starts at 1. */
const numbered =
  (names: readonly string[], prefix: string): Words =>
  (value) =>
    typeof value === 'number' ? textOf('licenses', `${prefix}.${names[value - 1]}`) : null;
const counted: Words = (value) => (typeof value === 'number' ? formatNumber(value) : null);
const allForNone: Words = (value) =>
  value === null || (Array.isArray(value) && value.length === 0) ? words('all') : null;
const neverForNone: Words = (value) => (value === null ? words('never') : null);
const lasting =
  (unit: DurationUnit, none: () => string | null): Words =>
  (value) =>
    value === 0 ? none() : typeof value === 'number' ? formatDuration(value, unit) : null;
/** Formats a number of days; 0 and null mean never. */
const days: Words = (value) => lasting('day', () => words('never'))(value === null ? 0 : value);
const inUnits =
  (unit: DurationUnit): Words =>
  (value) =>
    typeof value === 'number' ? formatDuration(value, unit) : null;
const factor = named('audit', 'factor');
const endpoint = (value: unknown): string => {
  const [noun, what] = String(value).split('.');
  const of = textOf('apiKeys', `noun.${noun}`);
  const action = textOf('apiKeys', `endpoint.${noun}.${what}`);
  return of && action ? `${of}: ${action}` : String(value);
};

/** The formats, by field name, or by kind and field name if several kinds use the same field name. */
const WORDS: Readonly<Record<string, Words>> = {
  'license.status': numbered(STATUSES, 'status'),
  'release.status': named('software', 'status'),
  source: numbered(SOURCES, 'source'),
  'event_endpoint.kind': named('events', 'kind'),
  'event_endpoint.state': named('events', 'health'),
  'event_endpoint.types': allForNone,
  'license.expires_at': neverForNone,
  'api_key.expires_at': neverForNone,
  valid_for: days,
  expires_in: days,
  activations_limit: (value) => (value === 0 ? textOf('licenses', 'noLimit') : counted(value)),
  seat_ttl: lasting('second', () => textOf('seats', 'nodeLocked')),
  reclaim_after_days: days,
  borrow_max_hours: lasting('hour', () => words('no')),
  borrow_hours: lasting('hour', () => words('no')),
  takeovers_per_month: counted,
  match: named('seats', 'match'),
  lease_refresh_hours: inUnits('hour'),
  lease_days: inUnits('day'),
  lease_grace_days: inUnits('day'),
  offline_lease_days: inUnits('day'),
  ended_as: named('seats', 'endedAs'),
  permission: named('apiKeys', 'permission'),
  compatibility: named('apiKeys', 'compatibility'),
  endpoints: (value) =>
    Array.isArray(value) && value.length > 0 ? value.map(endpoint).join(', ') : allForNone(value),
  products: allForNone,
  product_ids: allForNone,
  access: named('software', 'access'),
  channel: named('software', 'channel'),
  rollout: (value) => (typeof value === 'number' ? formatNumber(value / 100, { style: 'percent' }) : null),
  role: named('shell', 'role'),
  second_factor: (value) => (value === null ? words('no') : factor(value)),
  by: named('audit', 'purpose'),
  purpose: named('audit', 'purpose'),
  count: counted,
  created: counted,
  ids: counted,
  sessions: counted,
  sessions_ended: counted,
  size: (value) => (typeof value === 'number' ? formatBytes(value) : null),
  file: (value) => {
    const { name, size } = (value ?? {}) as { name?: unknown; size?: unknown };
    return typeof name === 'string' && typeof size === 'number' ? `${name} (${formatBytes(size)})` : null;
  },
  columns: (value) =>
    typeof value === 'string'
      ? value
          .split(' ')
          .map((name) => fieldWords('license', name))
          .join(', ')
      : null,
  expiry: (value) => {
    if (value === 'never') return words('never');
    const { from, before } = value as Record<string, string | null>;
    return [from, before].map((one) => (one ? formatTime(one) : '…')).join(' – ');
  },
};
