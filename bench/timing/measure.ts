import { Connection } from '../run/connection.ts';
import { type Compared, compare, type Sample } from './compare.ts';

/** Functions that make requests, by what is wrong with them. Each request has fresh values. */
export type Kinds<Kind extends string> = Record<Kind, () => string>;

export interface Scenario<Kind extends string> {
  kinds: Kinds<Kind>;
  /** Pairs that must be indistinguishable. */
  pairs: readonly (readonly [Kind, Kind])[];
  /** Requests before the measurement begins. */
  warm: number;
}

/** Expected statuses: any other means that the scenario is wrong. */
const REFUSED = [401, 404];

/** Sends each kind of request on one connection, in random order, and compares the times. */
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
      if (!REFUSED.includes(answered)) throw new Error(`${kind} was answered with ${answered}`);
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
