import { type Connection, type Executed, type Kind, nameOf, type Together } from '../sql/statement.ts';
import { StoreUnavailable } from '../store.ts';

interface Waiting {
  parameters: readonly unknown[];
  resolve(done: Executed): void;
  reject(error: unknown): void;
}
interface Round {
  text: string;
  kind: Kind;
  waiting: Waiting[];
}

/** Maximum number of statements that one statement replaces. Its rows are held in memory until all of them are answered. */
const STATEMENTS_MAX = 64;

/** The column of the rows that has the place of a statement in its round. */
export const PLACE = 'place_in_round';

/**
 * Runs look-ups, and changes that may run together, in rounds: those of one turn of the event loop that have the same
 * text become one statement. Together they cost one round trip, one plan and one parse, and changes one commit.
 * Nothing waits for a timer, nor for another round.
 */
export function inRounds(connection: Connection): Connection {
  let rounds = new Map<string, Round>();

  const runAll = () => {
    const gathered = rounds;
    rounds = new Map();
    for (const { text, kind, waiting } of gathered.values())
      for (const some of partsOf(waiting, kind.together?.distinct)) run({ text, kind, waiting: some });
  };

  const alone = ({ text, kind }: Round, { parameters, resolve, reject }: Waiting) =>
    void connection.execute(text, parameters, kind).then(resolve, reject);

  const run = (round: Round) => {
    const { text, kind, waiting } = round;
    const [first] = waiting;
    if (!first) return;
    if (waiting.length === 1) return alone(round, first);
    const together = kind.together ?? lookUpsOf(text, first.parameters);
    const columns = first.parameters.map((_, i) => waiting.map(({ parameters }) => parameters[i]));
    connection.execute(together.text, columns, { ...kind, name: together.name }).then(
      ({ rows }) => {
        const found: unknown[][] = waiting.map(() => []);
        for (const row of rows as { [PLACE]: number }[]) found[row[PLACE] - 1]?.push(row);
        for (const [i, one] of waiting.entries()) {
          const own = found[i] as unknown[];
          if (own.length === 0 && together.rerunsEmpty) alone(round, one);
          else one.resolve({ rows: own, affected: own.length });
        }
      },
      (error) => {
        for (const one of waiting) {
          // A faulty statement must not make the others fail.
          if (error instanceof StoreUnavailable) one.reject(error);
          else alone(round, one);
        }
      },
    );
  };

  return {
    execute(text, parameters, kind) {
      const isLookUp = kind?.lookUp && parameters.every(isKnown);
      if (!isLookUp && !kind?.together) return connection.execute(text, parameters, kind);
      return new Promise((resolve, reject) => {
        if (rounds.size === 0) setImmediate(runAll);
        const round = rounds.get(text) ?? { text, kind, waiting: [] };
        rounds.set(text, round);
        round.waiting.push({ parameters, resolve, reject });
      });
    },
  };
}

/**
 * Splits statements into parts that can run together.
 * @param distinct the parameter in which the statements of a part differ
 */
function partsOf(waiting: readonly Waiting[], distinct: number | undefined): Waiting[][] {
  const parts: { waiting: Waiting[]; values: Set<unknown> }[] = [];
  for (const one of waiting) {
    const value = distinct === undefined ? one : one.parameters[distinct];
    const part = parts.find((some) => some.waiting.length < STATEMENTS_MAX && !some.values.has(value));
    if (part) {
      part.waiting.push(one);
      part.values.add(value);
    } else parts.push({ waiting: [one], values: new Set([value]) });
  }
  return parts.map((part) => part.waiting);
}

const typeOf = (value: unknown): string =>
  typeof value === 'string' ? 'text' : typeof value === 'number' ? 'bigint' : 'bytea';
const isKnown = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array;

const lookUps = new Map<string, Together>();

/** The statement that runs a look-up once for each element of its parameters. */
function lookUpsOf(text: string, parameters: readonly unknown[]): Together {
  const known = lookUps.get(text);
  if (known) return known;
  const arrays = parameters.map((value, i) => `$${i + 1}::${typeOf(value)}[]`);
  const names = parameters.map((_, i) => `p${i + 1}`);
  const lookUp = text.replaceAll(/\$(\d+)/g, 'asked.p$1');
  const all = `
    select found.*, asked.${PLACE} from unnest(${arrays}) with ordinality as asked(${names}, ${PLACE}),
      lateral (${lookUp}) as found`;
  const together = { name: nameOf(all), text: all };
  lookUps.set(text, together);
  return together;
}
