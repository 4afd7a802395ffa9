import { Connection } from '../run/connection.ts';
import { type Compared, compare, type Sample } from './compare.ts';

/** What is asked for, by what is wrong with it: a request with values of its own each time. */
export type Kinds<Kind extends string> = Record<Kind, () => string>;

export interface Scenario<Kind extends string> {
  kinds: Kinds<Kind>;
  /** What must not be told apart. */
  pairs: readonly (readonly [Kind, Kind])[];
  /** Requests before the first that is measured. */
  warm: number;
}

/** Anything else is not what is measured. */
const REFUSED = [401, 404];

/** Asks for each kind on one connection, in random order, and compares the times. */
export async function measure<Kind extends string>(
  port: number,
  { kinds, pairs, warm }: Scenario<Kind>,
  rounds: number,
): Promise<Record<string, Compared>> {
  const names = Object.keys(kinds) as Kind[];
  const times = Object.fromEntries(names.map((kind) => [kind, [] as number[]]));
  const connection = await Connection.open(port);
  for (let round = -Math.ceil(warm / names.length); round < rounds; round++) {
    for (const kind of shuffled(names)) {
      const request = kinds[kind]();
      const begun = process.hrtime.bigint();
      const answered = await new Promise<number>((resolve, reject) => {
        connection.onAnswer = resolve;
        connection.onBroken = reject;
        connection.send(request);
      });
      const took = Number(process.hrtime.bigint() - begun) / 1_000;
      if (!REFUSED.includes(answered)) throw new Error(`${kind} is answered ${answered}`);
      if (round >= 0) times[kind]?.push(took);
    }
  }
  connection.close();
  return Object.fromEntries(
    pairs.map(([one, other]) => [`${one} / ${other}`, compare(times[one] as Sample, times[other] as Sample)]),
  );
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((one) => ({ one, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}
