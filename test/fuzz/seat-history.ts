/** Whether the answers that programs got at the same time, and the rows that are left, give away no seat twice. */

/** A moment: its place among all calls and answers, and what the clock showed, in seconds. */
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
/** An activation as it is stored in the end. Times in seconds. */
export interface Row {
  id: number;
  device: string | null;
  /** Null while it is not ended. */
  endedAt: number | null;
  endedAs: string | null;
  /** Infinity if it does not lapse. */
  until: number;
}
export interface Policy {
  /** The highest that was ever in force. */
  limit: number;
  reclaimAfter: number;
  takeovers: number;
}

const MONTH = 30 * 86_400;

/** A seat that was certainly held, from the answer that gave it until it may have ended. */
interface Held {
  seat: Seat;
  from: number;
  /** The order of the first moment at which it may have ended. */
  to: number;
}

/** All that is wrong with a history, in words. */
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

  /** When an activation was ended by another device, by its row. Unknown if it was reactivated since. */
  const takenAt = (id: number) => {
    const row = byId.get(id);
    const isTaken = row?.endedAs === 'reclaimed' || row?.endedAs === 'taken_over';
    return isTaken ? (row.endedAt as number) : Number.POSITIVE_INFINITY;
  };
  /** Whether a reactivation covers up how it ended, and when. */
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
      crowded(
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
      .flatMap((seat) => givenBack(seat, ofSeat(seat.id), lastAskedBy(history, takenAt(seat.id)))),
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

/** At the moment of an answer. */
function crowded({ limit }: Policy, { device, answered }: Seat, others: readonly Held[]): string[] {
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

/** A device is told that no seat is free, while it has one. */
const turnedAway = (
  { device, asked, answered }: Extract<Told, { what: 'full' }>,
  held: readonly Held[],
): string[] =>
  held
    .filter(({ seat, from, to }) => seat.device === device && from < asked.order && to > answered.order)
    .filter(() => device !== null)
    .map(({ seat }) => `${device} is turned away at ${asked.order}, and has ${seat.id}`);

/** A program is told that its seat has lapsed, before the time that it was promised. */
const endedEarly = ({ id, reason, asked, answered }: Ended, seats: readonly Seat[]): string[] =>
  seats
    .filter((seat) => seat.answered.order < asked.order && seat.until > answered.clock && reason === 'lapsed')
    .map((seat) => `${id} was promised until ${seat.until}, and has lapsed at ${answered.clock}`);

/** A validation succeeds after the seat was ended for good. @param taken the order after which that was done */
function givenBack({ id, asked }: Seat, ended: readonly Ended[], taken: number): string[] {
  const before = ended.filter(({ reason, answered }) => reason !== 'lapsed' && answered.order < asked.order);
  return before.length > 0 || taken < asked.order ? [`${id} is valid at ${asked.order}, after its end`] : [];
}

/** The order after which all calls are answered that may have run when the clock showed this. */
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
