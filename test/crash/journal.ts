/**
 * What a record must be by the answers that were given: one state where its last change was answered, and the one before
 * and the one after where it was not. Null: it is not there.
 */
export interface Tracked<State> {
  possible: (State | null)[];
}

export interface LicenseState {
  key: string;
  orderId: number;
  userId: number;
  limit: number;
}
export interface License extends Tracked<LicenseState> {
  activations: Activation[];
  /** Activations that were asked for, and no answer came: each may have been made. */
  unanswered: number;
}
export interface Activation extends Tracked<'valid' | 'ended'> {
  token: string;
  /** The only client that changes it. */
  client: number;
}
export interface Generator extends Tracked<'there'> {
  name: string;
  id: number | null;
}
/** Licenses of one run of a generator: as many as were asked for, or none. */
export interface Batch extends Tracked<number> {
  orderId: number;
  /** As they were answered. */
  keys: string[] | null;
}
export interface ReleaseState {
  sha256: string;
  size: number;
}
/** The only release of its software. */
export interface Release extends Tracked<ReleaseState> {
  slug: string;
  softwareId: number;
  id: number | null;
  /** How often it was downloaded as far as its headers, and how often that was tried. */
  downloads: { answered: number; asked: number };
}

/** What one client changes; nobody else does. */
export interface Belongings {
  licenses: License[];
  generators: Generator[];
  releases: Release[];
}

/** All that was written down. */
export interface Journal {
  clients: Belongings[];
  /** Licenses that every client activates, each with tokens of its own. */
  shared: License[];
  batches: Batch[];
  /** Records whose last change is yet to be verified. */
  touched: Set<Tracked<unknown>>;
  /**
   * SHA-256 of files whose release was being deleted in a crash. They may stay until `latchkey doctor --fix` finds them an
   * hour later: whoever took them in may be long forgotten.
   */
  leavable: Set<string>;
  /** What was never to happen, in words. */
  faults: string[];
  /** Operations by their kind, and by how they were answered. */
  counts: Map<string, Map<Outcome, number>>;
  answers: number;
}
/** Unavailable: 503; unanswered: the connection broke. Both leave open what was done. */
export type Outcome = 'done' | 'refused' | 'unavailable' | 'unanswered';

/** Orders of batches begin here, those of single licenses end before. */
export const BATCH_ORDERS = 1_000_000_000;

export function createJournal(clients: number): Journal {
  return {
    clients: Array.from({ length: clients }, () => ({ licenses: [], generators: [], releases: [] })),
    shared: [],
    batches: [],
    touched: new Set(),
    leavable: new Set(),
    faults: [],
    counts: new Map(),
    answers: 0,
  };
}

export const allOf = <Name extends keyof Belongings>({ clients }: Journal, name: Name): Belongings[Name] =>
  clients.flatMap((one) => one[name] as never[]) as Belongings[Name];

export const allLicenses = (journal: Journal): License[] => [
  ...journal.shared,
  ...allOf(journal, 'licenses'),
];

/** The state of a record, where the answers leave no doubt; null where it is not there, or in doubt. */
export const certain = <State>({ possible }: Tracked<State>): State | null =>
  possible.length === 1 ? (possible[0] as State | null) : null;

/** A license of one client of which everything is certain. */
export const isSettled = (license: License): boolean =>
  certain(license) !== null &&
  license.unanswered === 0 &&
  license.activations.every((one) => certain(one) !== null);

export const validOf = (license: License): Activation[] =>
  license.activations.filter((one) => certain(one) === 'valid');

/** What of a license is not as it was answered; null where all is. @param found the record as the API shows it */
// biome-ignore lint/suspicious/noExplicitAny: a record of the wire
export function differs(license: License, found: any): string | null {
  const { key, orderId, userId, limit } = certain(license) as LicenseState;
  const valid = validOf(license).map(({ token }) => token);
  const expected = [key, orderId, userId, limit, valid.length, ...valid.sort()];
  const tokens = found.activations.map(({ token }: { token: string }) => token).sort();
  const actual = [
    found.license_key,
    found.order_id,
    found.user_id,
    found.activations_limit,
    found.times_activated,
    ...tokens,
  ];
  return JSON.stringify(actual) === JSON.stringify(expected)
    ? null
    : `license ${key} is ${JSON.stringify(actual)}, and must be ${JSON.stringify(expected)}`;
}

export function count(journal: Journal, kind: string, outcome: Outcome): void {
  const counts = journal.counts.get(kind) ?? new Map<Outcome, number>();
  journal.counts.set(kind, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
  if (outcome === 'done' || outcome === 'refused') journal.answers++;
}
