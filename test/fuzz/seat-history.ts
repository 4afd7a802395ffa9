/** Checks that concurrent answers and the resulting rows never give away a seat twice. */

/** A moment: its position among all calls and answers, and the clock in seconds. */
export interface Moment {
  order: number;
  clock: number;
}
interface Asked {
  asked: Moment;
  answered: Moment;
}
export type Told = Asked &
  (
    | {
        what: 'seat';
        by: 'activate' | 'reactivate' | 'validate';
        id: number;
        device: string | null;
        until: number;
      }
    | { what: 'ended'; by: 'deactivate' | 'validate'; id: number; reason: string }
    | { what: 'full'; device: string | null }
    | { what: 'refused' | 'changed' }
    | { what: 'read'; times: number; listed: number }
  );
export type Seat = Extract<Told, { what: 'seat' }>;
type Ended = Extract<Told, { what: 'ended' }>;
/** The final row of an activation. Times are in seconds. */
export interface Row {
  id: number;
  device: string | null;
  /** Null while the activation has not ended. */
  endedAt: number | null;
  endedAs: string | null;
  /** Infinity if the seat does not lapse. */
  until: number;
}
export interface Policy {
  /** The highest limit that was ever in force. */
  limit: number;
  reclaimAfter: number;
  takeovers: number;
}

const MONTH = 30 * 86_400;

/**
 * A seat that was certainly held, from the answer that gave it until the first moment at which it may have
 * ended.
 */
interface Held {
  seat: Seat;
  from: number;
  /** The order of the first moment at which the seat may have ended. */
  to: number;
}

/** Describes everything that is wrong with a history. */
export function faultsOf(policy: Policy, history: readonly Told[], rows: readonly Row[]): string[] {
  const seats = history.filter((one) => one.what === 'seat');
  const ended = history.filter((one) => one.what === 'ended');
  const moments = history
    .flatMap(({ asked, answered }) => [asked, answered])
    .sort((a, b) => a.order - b.order);
  const reactivated = new Set(seats.filter(({ by }) => by === 'reactivate').map(({ id }) => id));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ofSeat = (id: number) => ended.filter((one) => one.id === id);
  const firstFrom = (clock: number) =>
    moments.find((one) => one.clock >= clock)?.order ?? Number.POSITIVE_INFINITY;

  /**
   * Returns when another device ended an activation, according to its row; Infinity if none did. A
   * reactivation hides it.
   */
  const takenAt = (id: number) => {
    const row = byId.get(id);
    const isTaken = row?.endedAs === 'reclaimed' || row?.endedAs === 'taken_over';
    return isTaken ? (row.endedAt as number) : Number.POSITIVE_INFINITY;
  };
  /** Returns whether a later reactivation hides how and when the seat ended. */
  const isCovered = (seat: Seat) =>
    seats.some(
      (one) =>
        one.id === seat.id &&
        one.by === 'reactivate' &&
        one !== seat &&
        one.answered.order > seat.asked.order,
    );
  const held: Held[] = seats.map((seat) => {
    const asks = ofSeat(seat.id).filter(({ by }) => by === 'deactivate');
    const from = seat.answered.order;
    const ends = asks
      .filter(({ answered }) => answered.order > seat.asked.order)
      .map(({ asked }) => asked.order);
    return {
      seat,
      from,
      to: isCovered(seat) ? from : Math.min(firstFrom(seat.until), firstFrom(takenAt(seat.id)), ...ends),
    };
  });

  return [
    ...held.flatMap(({ seat, from }) =>
      overcrowded(
        policy,
        seat,
        held.filter((one) => one.from <= from && from < one.to),
      ),
    ),
    ...ended.flatMap((one) =>
      endedEarly(
        one,
        seats.filter((seat) => seat.id === one.id && !isCovered(seat)),
      ),
    ),
    ...seats
      .filter(({ id, by }) => by !== 'activate' && !reactivated.has(id))
      .flatMap((seat) => validAfterEnd(seat, ofSeat(seat.id), lastAskedBy(history, takenAt(seat.id)))),
    ...history.flatMap((one) =>
      one.what === 'read' && (one.times !== one.listed || one.times > policy.limit)
        ? [`a read tells ${one.times} seats, and lists ${one.listed}`]
        : [],
    ),
    ...rows
      .filter(({ id }) => !reactivated.has(id))
      .flatMap((row) =>
        rowFaults(
          policy,
          row,
          seats.filter(({ id }) => id === row.id),
        ),
      ),
    ...tooManyTakeovers(policy, rows),
    ...history.flatMap((one) => (one.what === 'full' ? turnedAway(one, held) : [])),
  ];
}

/** Reports too many held seats, and a device with two seats, at the moment of an answer. */
function overcrowded({ limit }: Policy, { device, answered }: Seat, others: readonly Held[]): string[] {
  const ids = new Set(others.map(({ seat }) => seat.id));
  const own = new Set(
    others.filter(({ seat }) => device !== null && seat.device === device).map(({ seat }) => seat.id),
  );
  const faults: string[] = [];
  if (ids.size > limit)
    faults.push(`${ids.size} seats of ${limit} are held at ${answered.order}: ${[...ids]}`);
  if (own.size > 1) faults.push(`${device} has ${own.size} seats at ${answered.order}: ${[...own]}`);
  return faults;
}

/** Reports a device that is told that no seat is free while it has one. */
const turnedAway = (
  { device, asked, answered }: Extract<Told, { what: 'full' }>,
  held: readonly Held[],
): string[] =>
  held
    .filter(({ seat, from, to }) => seat.device === device && from < asked.order && to > answered.order)
    .filter(() => device !== null)
    .map(({ seat }) => `${device} is turned away at ${asked.order}, and has ${seat.id}`);

/** Reports a program that is told that its seat has lapsed before the promised time. */
const endedEarly = ({ id, reason, asked, answered }: Ended, seats: readonly Seat[]): string[] =>
  seats
    .filter((seat) => seat.answered.order < asked.order && seat.until > answered.clock && reason === 'lapsed')
    .map((seat) => `${id} was promised until ${seat.until}, and has lapsed at ${answered.clock}`);

/**
 * Reports a validation that succeeds after the seat has ended for good.
 * @param taken the order after which another device has certainly taken the seat; Infinity if none has
 */
function validAfterEnd({ id, asked }: Seat, ended: readonly Ended[], taken: number): string[] {
  const before = ended.filter(({ reason, answered }) => reason !== 'lapsed' && answered.order < asked.order);
  return before.length > 0 || taken < asked.order ? [`${id} is valid at ${asked.order}, after its end`] : [];
}

/** Returns the order by which all calls sent at or before a clock time were answered. */
function lastAskedBy(history: readonly Told[], clock: number): number {
  if (clock === Number.POSITIVE_INFINITY) return clock;
  return Math.max(
    ...history.filter(({ asked }) => asked.clock <= clock).map(({ answered }) => answered.order),
  );
}

function rowFaults({ reclaimAfter }: Policy, row: Row, seats: readonly Seat[]): string[] {
  const promised = Math.max(...seats.map(({ until }) => until));
  const faults: string[] = [];
  if (row.until !== Number.POSITIVE_INFINITY && row.until < promised)
    faults.push(`${row.id} was promised until ${promised}, and holds until ${row.until}`);
  if (row.endedAs === 'lapsed' && row.endedAt !== row.until)
    faults.push(`${row.id} lapsed at ${row.endedAt} instead of ${row.until}`);
  const seen = seats.filter(({ by }) => by !== 'validate').map(({ asked }) => asked.clock);
  if (row.endedAs === 'reclaimed' && Math.max(...seen) + reclaimAfter >= (row.endedAt as number))
    faults.push(`${row.id} was seen at ${Math.max(...seen)}, and reclaimed at ${row.endedAt}`);
  return faults;
}

function tooManyTakeovers({ takeovers }: Policy, rows: readonly Row[]): string[] {
  const times = rows
    .filter(({ endedAs }) => endedAs === 'taken_over')
    .map(({ endedAt }) => endedAt as number);
  const within = (time: number) => times.filter((one) => one <= time && one > time - MONTH).length;
  return times.some((time) => within(time) > takeovers)
    ? [`more than ${takeovers} takeovers within a month`]
    : [];
}
