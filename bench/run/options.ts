import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  licenses: number;
  engine: 'sqlite' | 'postgres';
  /** URL of an existing PostgreSQL database. */
  url: string | null;
  /** The folder of the data sets. */
  folder: string;
  /** Recreates the data set. */
  fresh: boolean;
  quick: boolean;
  /** Names of the scenarios; null for all. */
  scenarios: string[] | null;
  /** Adds an endpoint that receives every event. */
  events: boolean;
  /** Length of one turn. */
  seconds: number;
}

/** The measured database and its data set. */
export type DatabaseOptions = Pick<Options, 'licenses' | 'engine' | 'url' | 'folder' | 'fresh' | 'events'>;

const HELP = `npm run bench -- [flags]
  --licenses N         size of the data set (default 100000); created once and kept
  --quick              16 connections only, in 45 seconds
  --scenarios a,b      only these scenarios
  --events             adds an endpoint that collects every event for polling
  --postgres           on its own PostgreSQL server, whose data are also kept
  --database-url URL   on this empty PostgreSQL database, which then belongs to the benchmark
  --folder PATH        where data sets are kept (default: latchkey-bench in the folder for temporary files)
  --fresh              recreates the data set
  --seconds S          length of a turn (default 0.5, with --quick 0.15)`;

export function parseOptions(): Options {
  const { values } = parseArgs({
    options: {
      licenses: { type: 'string', default: '100000' },
      quick: { type: 'boolean', default: false },
      scenarios: { type: 'string' },
      events: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
      'database-url': { type: 'string' },
      folder: { type: 'string', default: join(tmpdir(), 'latchkey-bench') },
      fresh: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit();
  }
  if (process.platform !== 'linux') throw new Error('processor time is read from /proc: Linux only');
  const licenses = Number(values.licenses);
  const seconds = Number(values.seconds ?? (values.quick ? 0.15 : 0.5));
  if (!Number.isSafeInteger(licenses) || licenses < 1)
    throw new Error('--licenses must be a whole number from 1');
  if (!(seconds > 0)) throw new Error('--seconds must be more than 0');
  return {
    licenses,
    seconds,
    url: values['database-url'] ?? null,
    engine: values.postgres || values['database-url'] ? 'postgres' : 'sqlite',
    folder: resolve(values.folder),
    fresh: values.fresh,
    quick: values.quick,
    events: values.events,
    scenarios: values.scenarios?.split(',') ?? null,
  };
}

/** Returns the names of the wanted scenarios. @throws if there is no such scenario */
export function wantedOf({ scenarios }: Options, names: string[]): string[] {
  const unknown = scenarios?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no scenario ${unknown}: ${names.join(', ')}`);
  return scenarios ?? names;
}
