import { type Connection, type Executed, type Kind, nameOf } from '../sql/statement.ts';

interface Waiting {
  parameters: readonly unknown[];
  resolve(rows: Executed): void;
  reject(error: unknown): void;
}
interface Round {
  text: string;
  kind: Kind;
  waiting: Waiting[];
}

/** Look-ups of one round. Its rows are held in memory until the round ends. */
const LOOK_UPS_MAX = 64;

/** The place of a look-up in its round, as a column of its rows. */
const PLACE = 'place_in_round';

/**
 * Runs the look-ups of one turn of the event loop that have the same text as one statement: a round. It costs one round
 * trip, one plan and one parse for all of them. A look-up waits for no timer and for no other round.
 */
export function inRounds(reader: Connection): Connection {
  let rounds = new Map<string, Round>();

  const runAll = () => {
    const gathered = rounds;
    rounds = new Map();
    for (const round of gathered.values()) run(round);
  };

  const run = ({ text, kind, waiting }: Round) => {
    const [only] = waiting;
    if (only && waiting.length === 1) {
      reader.execute(text, only.parameters, kind).then(only.resolve, only.reject);
      return;
    }
    const { text: together, name } = togetherOf(text, only?.parameters ?? []);
    const columns = (only?.parameters ?? []).map((_, i) => waiting.map(({ parameters }) => parameters[i]));
    reader.execute(together, columns, { ...kind, name }).then(
      ({ rows }) => {
        const found: unknown[][] = waiting.map(() => []);
        for (const row of rows as { [PLACE]: number }[]) found[row[PLACE] - 1]?.push(row);
        for (const [i, { resolve }] of waiting.entries()) {
          const own = found[i] as unknown[];
          resolve({ rows: own, affected: own.length });
        }
      },
      (error) => {
        for (const { reject } of waiting) reject(error);
      },
    );
  };

  return {
    execute(text, parameters, kind) {
      if (!kind?.lookUp || !parameters.every(isKnown)) return reader.execute(text, parameters, kind);
      return new Promise((resolve, reject) => {
        if (rounds.size === 0) setImmediate(runAll);
        const round = rounds.get(text) ?? { text, kind, waiting: [] };
        rounds.set(text, round);
        round.waiting.push({ parameters, resolve, reject });
        if (round.waiting.length === LOOK_UPS_MAX) {
          rounds.delete(text);
          run(round);
        }
      });
    },
  };
}

const typeOf = (value: unknown): string =>
  typeof value === 'string' ? 'text' : typeof value === 'number' ? 'bigint' : 'bytea';
const isKnown = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array;

const statements = new Map<string, { text: string; name: string }>();

/** The statement that runs a look-up once for each element of its parameters, which are arrays. */
function togetherOf(text: string, parameters: readonly unknown[]) {
  const known = statements.get(text);
  if (known) return known;
  const arrays = parameters.map((value, i) => `$${i + 1}::${typeOf(value)}[]`);
  const names = parameters.map((_, i) => `p${i + 1}`);
  const lookUp = text.replaceAll(/\$(\d+)/g, 'asked.p$1');
  const together =
    `select found.*, asked.${PLACE} from unnest(${arrays}) with ordinality as asked(${names}, ${PLACE}), ` +
    `lateral (${lookUp}) as found`;
  const made = { text: together, name: nameOf(together) };
  statements.set(text, made);
  return made;
}
