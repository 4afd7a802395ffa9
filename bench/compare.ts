import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figures } from './run/turns.ts';

/**
 * Compares this version with another commit: `npm run bench:compare -- COMMIT`. The benchmarks of both versions
 * alternate, so that a machine that slows down affects both. The service is compared by the ratio of its processor time
 * per request to that of the bare server in the same run, the database by its processor time itself.
 */
const HELP = `npm run bench:compare -- COMMIT [--rounds N] [flags of npm run bench]
  COMMIT      the commit to compare with, checked out beside the data sets
  --rounds N  runs of each version (default 5)
Without other flags: --quick`;

const HERE = join(import.meta.dirname, '..');
const FOLDER = join(tmpdir(), 'latchkey-bench');
const ROUNDS = 5;

const { commit, rounds, flags } = readArguments(process.argv.slice(2));
const git = (...args: string[]) => execFileSync('git', args, { cwd: HERE, encoding: 'utf8' }).trim();
const sha = git('rev-parse', '--short', `${commit}^{commit}`);
const there = checkOut();

type Report = Record<string, Record<string, Figures>>;

/** The costs of one scenario in this version, divided by those in the other version: one number for each run. */
interface Compared {
  service: number[];
  database: number[];
}
const compared = new Map<string, Compared>();
console.log(`this version against ${sha}: ${rounds} alternating runs of each`);
for (let i = 0; i < rounds; i++) {
  // Alternate which version runs first.
  const order = i % 2 === 0 ? [there, HERE] : [HERE, there];
  const reports = new Map<string, Report>();
  for (const root of order) reports.set(root, await runBenchmark(root));
  note(reports.get(HERE) as Report, reports.get(there) as Report);
}
console.log('scenario            processor time     spread            of the database');
for (const [name, { service, database }] of compared)
  console.log(
    `${name.padEnd(20)}${shown(median(service)).padEnd(19)}${spread(service).padEnd(18)}${
      database.length > 0 ? `${shown(median(database))}  (${spread(database)})` : '–'
    }`,
  );
console.log(JSON.stringify({ commit: sha, rounds, scenarios: Object.fromEntries(compared) }));

function readArguments(args: readonly string[]) {
  const left = [...args];
  const at = left.indexOf('--rounds');
  const [, count = String(ROUNDS)] = at < 0 ? [] : left.splice(at, 2);
  const [commit, ...flags] = left;
  if (commit === undefined || commit.startsWith('-') || !(Number(count) >= 1)) {
    console.log(HELP);
    process.exit(commit === '--help' ? 0 : 1);
  }
  return { commit, rounds: Number(count), flags: flags.length > 0 ? flags : ['--quick'] };
}

/** Checks out the other version and installs the packages of its lock file. @returns its folder */
function checkOut(): string {
  mkdirSync(FOLDER, { recursive: true });
  const folder = join(FOLDER, `commit-${sha}`);
  if (!existsSync(folder)) git('worktree', 'add', '--detach', folder, sha);
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (!existsSync(join(folder, 'node_modules'))) {
    if (lock(folder) === lock(HERE)) symlinkSync(join(HERE, 'node_modules'), join(folder, 'node_modules'));
    else execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' });
  }
  return folder;
}

async function runBenchmark(root: string): Promise<Report> {
  // Each version has its own data sets: an older version cannot read those of a newer one.
  const data = join(FOLDER, root === HERE ? 'here' : sha);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['bench/run.ts', '--folder', data, ...flags],
    { cwd: root, maxBuffer: 64 * 1024 ** 2 },
  );
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) as string).scenarios;
}

function note(ours: Report, theirs: Report): void {
  for (const [scenario, byConnections] of Object.entries(ours))
    for (const [connections, figures] of Object.entries(byConnections)) {
      const before = theirs[scenario]?.[connections];
      if (!before) continue;
      const name = `${scenario} ${connections}`;
      const known = compared.get(name) ?? { service: [], database: [] };
      compared.set(name, known);
      known.service.push(figures.ratio / before.ratio);
      if (figures.database_cpu_us && before.database_cpu_us)
        known.database.push(figures.database_cpu_us / before.database_cpu_us);
    }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle - 0.5)] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

function spread(values: readonly number[]): string {
  return `${shown(Math.min(...values))} to ${shown(Math.max(...values))}`;
}

function shown(ratio: number): string {
  return ratio.toFixed(3);
}
