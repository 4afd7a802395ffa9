/**
 * A record and the states that the answers allow: one state if its last change was answered, and the states
 * before and after the change if it was not. Null means that the record does not exist.
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
  /** Number of activation requests without an answer: each may have created an activation. */
  unanswered: number;
}
export interface Activation extends Tracked<'valid' | 'ended'> {
  token: string;
  /** Index of the only client that changes the activation. */
  client: number;
}
export interface Generator extends Tracked<'there'> {
  name: string;
  id: number | null;
}
/** The licenses of one generator run: all of them or none. */
export interface Batch extends Tracked<number> {
  orderId: number;
  /** The keys in the answer. */
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
  /** Number of downloads whose headers arrived, and number of download attempts. */
  downloads: { answered: number; asked: number };
}

/** The records that only one client changes. */
export interface Belongings {
  licenses: License[];
  generators: Generator[];
  releases: Release[];
}

/** Everything that the clients have noted. */
export interface Journal {
  clients: Belongings[];
  /** Licenses that every client activates, each with its own tokens. */
  shared: License[];
  batches: Batch[];
  /** Records whose last change is not verified yet. */
  touched: Set<Tracked<unknown>>;
  /**
   * SHA-256 of files whose release was being deleted during a crash. They may stay until
   * `latchkey doctor --fix` finds them an hour later: the upload that stored them may be long gone.
   */
  leavable: Set<string>;
  /** Descriptions of everything that must not happen. */
  faults: string[];
  /** Number of operations by kind and outcome. */
  counts: Map<string, Map<Outcome, number>>;
  answers: number;
}
/** Unavailable: 503. Unanswered: the connection broke. Neither tells whether the change was made. */
export type Outcome = 'done' | 'refused' | 'unavailable' | 'unanswered';

/** Batches have order ids from here on, single licenses lower ones. */
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

/** Returns the state of a record; null if it does not exist or its state is in doubt. */
export const certain = <State>({ possible }: Tracked<State>): State | null =>
  possible.length === 1 ? (possible[0] as State | null) : null;

/** Returns whether the state of a client's license and its activations is certain. */
export const isSettled = (license: License): boolean =>
  certain(license) !== null &&
  license.unanswered === 0 &&
  license.activations.every((one) => certain(one) !== null);

export const validOf = (license: License): Activation[] =>
  license.activations.filter((one) => certain(one) === 'valid');

/**
 * Describes how a license differs from the answers; null if it does not.
 * @param found the record as the API shows it
 */
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
