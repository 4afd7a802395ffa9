import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

// The rules of ARCHITECTURE.md: which layer may import which. `npm run check` fails if a file breaks a rule. Type-only
// imports count: a type that points the wrong way makes the code behind it point there too. Biome finds cycles.

/** The files below one path, and what they may import. */
export interface Rule {
  /** A folder (ends in "/") or a file, relative to the root of the repository. The longest match decides. */
  of: string;
  /** Folders, files, and packages that the files may import; "packages" stands for every package, "node" for `node:`. */
  may: readonly string[];
  /** Packages that `may` allows in general and that are forbidden here. */
  not?: readonly string[];
  why: string;
}

/** Packages that only one layer imports. */
const OF_ONE_LAYER = ['kysely', 'pg', 'node:sqlite', 'prom-client'];
/** What the layers above the store know of it: its interfaces, but no engine, query or key. */
const STORE = ['src/store/store.ts', 'src/store/backups/'];
const TALLY = 'src/metrics/tally.ts';
const STORAGE = ['src/storage/storage.ts', 'src/archive/archive.ts'];
const WEBHOOKS = 'src/webhooks/webhooks.ts';
/** The wire dialects, each a folder of `src/http/`. */
const DIALECTS = ['dlm-v1', 'lmfwc-v2', 'client', 'admin'].map((name) => `src/http/${name}/`);
const HTTP = [
  ...['src/http/', 'src/app/', 'src/domain/', 'src/words/'],
  ...[...STORE, 'src/storage/storage.ts', 'src/metrics/request-counts.ts', 'packages', 'node'],
];

export const RULES: readonly Rule[] = [
  {
    of: 'src/domain/',
    may: ['src/domain/'],
    why: 'domain/ imports nothing but itself: no I/O, no clock, no SQL, no HTTP',
  },
  {
    of: 'src/words/',
    may: ['src/words/', 'src/domain/'],
    why: 'words/ says in English what domain/ has codes for',
  },
  {
    of: 'src/app/',
    may: [
      'src/app/',
      'src/domain/',
      ...STORE,
      ...STORAGE,
      WEBHOOKS,
      'src/wordpress/shop.ts',
      'packages',
      'node',
    ],
    not: [...OF_ONE_LAYER, 'fastify', 'commander'],
    why: 'app/ imports domain/ and the interfaces of store/, storage/, archive/, webhooks/ and wordpress/',
  },
  {
    of: 'src/metrics/',
    may: ['src/metrics/', 'src/store/reports/', 'prom-client'],
    why: 'metrics/ turns numbers that others keep into the format of Prometheus',
  },
  {
    of: 'src/metrics/tally.ts',
    may: [],
    why: 'any layer may count with a tally: it imports nothing',
  },
  {
    of: 'src/store/',
    may: ['src/store/', 'src/domain/', 'src/disk/', TALLY, 'node'],
    not: OF_ONE_LAYER,
    why: 'the interface of the store imports domain/ and disk/, and knows no engine',
  },
  {
    of: 'src/store/sql/',
    may: ['src/store/', 'src/domain/', 'kysely', 'node'],
    not: ['src/store/sqlite/', 'src/store/postgres/', 'node:sqlite'],
    why: 'shared queries know no engine',
  },
  {
    of: 'src/store/sqlite/',
    may: ['src/store/', 'src/domain/', 'src/disk/', TALLY, 'packages', 'node'],
    not: ['src/store/postgres/', 'fastify', 'pg', 'prom-client'],
    why: 'an engine imports domain/ and what both engines share',
  },
  {
    of: 'src/store/postgres/',
    may: ['src/store/', 'src/domain/', 'src/disk/', 'packages', 'node'],
    not: ['src/store/sqlite/', 'fastify', 'node:sqlite'],
    why: 'an engine imports domain/ and what both engines share',
  },
  {
    of: 'src/store/migrations/',
    may: ['src/store/migrations/', 'kysely'],
    why: 'migrations import only the types of kysely: their meaning must never change',
  },
  {
    of: 'src/storage/',
    may: ['src/storage/', 'src/disk/', 'packages', 'node'],
    not: [...OF_ONE_LAYER, 'fastify'],
    why: 'storage/ keeps bytes and knows nothing of their owner',
  },
  {
    of: 'src/archive/',
    may: ['src/archive/', 'src/disk/', 'packages', 'node'],
    not: [...OF_ONE_LAYER, 'fastify'],
    why: 'archive/ keeps entries and knows nothing of their meaning',
  },
  {
    of: 'src/wordpress/',
    may: ['src/wordpress/', 'src/domain/', 'packages', 'node'],
    not: [...OF_ONE_LAYER, 'fastify', 'commander'],
    why: 'wordpress/ reads and writes the tables and files of two plugins, and knows no store',
  },
  {
    of: 'src/webhooks/',
    may: ['src/webhooks/', 'src/domain/', 'packages', 'node'],
    not: [...OF_ONE_LAYER, 'fastify', 'commander'],
    why: 'webhooks/ sends requests, and knows neither the store nor why they are sent',
  },
  { of: 'src/disk/', may: ['src/disk/', 'node'], why: 'disk/ imports nothing of Latchkey' },
  {
    of: 'src/http/',
    may: HTTP,
    not: [...OF_ONE_LAYER, ...DIALECTS],
    why: 'http/ imports app/, domain/, words/ and the interfaces of store/ and storage/, and no dialect',
  },
  {
    of: 'src/http/server.ts',
    may: ['src/http/', 'src/app/', 'src/domain/', ...STORE, 'packages', 'node'],
    not: OF_ONE_LAYER,
    why: 'the server puts the dialects together',
  },
  ...DIALECTS.map((dialect) => ({
    of: dialect,
    may: HTTP,
    not: [...OF_ONE_LAYER, ...DIALECTS.filter((one) => one !== dialect)],
    why: 'a dialect imports http/, app/, domain/ and the interface of the store, never another dialect',
  })),
  {
    of: 'src/cli/',
    may: [
      'src/cli/',
      'src/app/',
      'src/domain/',
      'src/words/',
      ...STORE,
      ...STORAGE,
      'src/installation/',
      'src/server/',
      'src/config/',
      'src/wordpress/',
      'src/disk/',
      'packages',
      'node',
    ],
    not: [...OF_ONE_LAYER, 'fastify'],
    why: 'cli/ imports app/, domain/, config/, installation/, server/, wordpress/, disk/ and the interfaces of store/ and storage/',
  },
  {
    of: 'src/installation/',
    may: [
      'src/installation/',
      'src/app/',
      'src/store/',
      'src/storage/',
      'src/archive/',
      'src/disk/',
      'src/domain/',
      'src/config/',
      'src/webhooks/',
      'src/wordpress/shop.ts',
      'packages',
      'node',
    ],
    not: ['fastify', 'commander'],
    why: 'installation/ opens what is in a data directory, and knows neither HTTP nor the command line',
  },
  {
    of: 'src/server/',
    may: [
      'src/server/',
      'src/installation/',
      'src/http/',
      'src/app/',
      'src/domain/',
      ...STORE,
      ...STORAGE,
      'src/archive/',
      'src/disk/',
      'src/config/',
      'src/metrics/',
      'packages',
      'node',
    ],
    not: [...OF_ONE_LAYER, 'commander'],
    why: 'server/ is the life of the process, and does not know the command line',
  },
  {
    of: 'src/config/',
    may: ['src/config/', 'package.json', 'leven', 'node'],
    why: 'the settings import nothing of Latchkey',
  },
  { of: 'src/', may: ['src/', 'node'], why: 'src/ holds the entry and nothing else' },
  {
    of: 'console/',
    may: ['console/', 'packages', 'node'],
    not: ['src/', 'test/'],
    why: 'the console imports nothing of the server: it knows its API by client/schema.d.ts',
  },
  { of: 'console/app/', may: ['console/', 'packages'], why: 'the console imports nothing of the server' },
  {
    of: 'console/ui/',
    may: ['console/ui/', 'console/client/', 'console/messages/', 'packages'],
    why: 'ui/ imports itself, client/ and messages/: it knows no page',
  },
  { of: 'console/client/', may: ['console/client/', 'packages'], why: 'client/ imports itself' },
  {
    of: 'console/features/',
    may: ['console/app/', 'console/ui/', 'console/client/', 'console/messages/', 'packages'],
    why: 'a page imports app/, ui/, client/, messages/ and its own folder, never another feature',
  },
  {
    of: 'sdk/javascript/src/',
    may: ['sdk/javascript/src/'],
    not: ['sdk/javascript/src/node/', 'sdk/javascript/src/electron/'],
    why: 'the SDK has no dependencies, and its entry for browsers imports nothing of Node.js',
  },
  ...['node', 'electron'].map((system) => ({
    of: `sdk/javascript/src/${system}/`,
    may: ['sdk/javascript/src/', 'node'],
    why: 'an adapter of the SDK imports the SDK and Node.js',
  })),
];

/** The tools that build the console. They are not part of it. */
const TOOLS = /^console\/[\w.-]+\.ts$/;

/** Biome's format puts each import at the start of a line and in single quotes. */
const IMPORT =
  /^(?:import|export)\s[^'"=;()]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

/** Returns what a source file imports: paths from the root of the repository, and packages by their names. */
export function importsOf(file: string, source: string): string[] {
  const found = [...source.replace(COMMENT, '').matchAll(IMPORT)].map(([, ...names]) =>
    String(names.find(Boolean)),
  );
  return found.map((name) => (name.startsWith('.') ? normalize(join(dirname(file), name)) : name));
}

/** Returns why a file may not import something; null if it may. */
export function refusalOf(file: string, imported: string): string | null {
  if (TOOLS.test(file)) return null;
  const rule = RULES.filter(({ of }) => file.startsWith(of)).sort((a, b) => b.of.length - a.of.length)[0];
  if (!rule) return null;
  const matches = (what: string) =>
    what === imported || (what.endsWith('/') ? imported.startsWith(what) : imported.startsWith(`${what}/`));
  const feature = /^console\/features\/[^/]+\//.exec(file)?.[0];
  if (feature && imported.startsWith(feature)) return null;
  const kind = imported.startsWith('node:') ? 'node' : isOurs(imported) ? null : 'packages';
  const allowed = rule.may.some((what) => what === kind || matches(what));
  return allowed && !rule.not?.some(matches) ? null : rule.why;
}

const isOurs = (imported: string): boolean =>
  /^(src|console|sdk|test|bench|tools|dist)\//.test(imported) || imported.startsWith('..');

/** Returns everything that is wrong with the imports of these files, one line each. */
export const faultsOf = (
  files: readonly string[],
  read = (file: string) => readFileSync(file, 'utf8'),
): string[] =>
  files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      importsOf(file, read(file)).flatMap((imported) => {
        const why = refusalOf(file, imported);
        return why ? `${file} imports ${imported}: ${why}` : [];
      }),
    );
