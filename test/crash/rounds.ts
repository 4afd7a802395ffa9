import assert from 'node:assert/strict';
import { createRandom, type Random } from '../support/faults/random.ts';
import type { VolatileDisk } from '../support/faults/volatile-disk.ts';
import { newKey } from '../support/http/api.ts';
import { pause, until } from '../support/postgres/cluster.ts';
import { startLoad } from './client.ts';
import { createInstallation, type EngineName, type Installation } from './installation.ts';
import { allOf, certain, createJournal, type Journal, type LicenseState, type Outcome } from './journal.ts';
import { KILLS, type Kill, START_MS } from './killer.ts';
import { POWER_CUTS } from './power-cuts.ts';
import { createTally, type Tally } from './tally.ts';
import { verifyDatabase } from './verify-database.ts';
import { verifyEngine } from './verify-engine.ts';
import { verifyFiles, verifyService } from './verify-service.ts';

export interface Plan {
  engine: EngineName;
  rounds: number;
  /** The highest number of answers before the kill of a round. */
  answers: number;
  /** No round begins after this number of seconds. */
  seconds: number;
  seed: number;
  /** Kills also cut the power of this disk. */
  disk?: VolatileDisk | null;
  print(line: string): void;
}

const CLIENTS = 8;
const FIRST_STARTS = 3;
/** Activation limits of the licenses that all clients activate. */
const SHARED_LIMITS = [3, 7, 25];
/** Number of releases of earlier rounds that each round downloads again. */
const OLDER = 3;
/** Milliseconds within which the load must start. */
const LOAD_START_MS = 60_000;
/** Milliseconds until an operation to aim at is in progress: the rarest takes some 600 answers. */
const AIM_MS = 300_000;
/** Kinds of operations that a kill may aim at. The others are frequent enough to be hit by chance. */
const AIMS = ['upload', 'generate', 'delete', 'rename', 'reactivate', 'download', 'delete release'];
/** The lowest number of answers before a kill. */
const MIN_ANSWERS = 40;

/**
 * Kills, restarts and verifies, round after round.
 * @throws Error at the first broken promise, with the command that reproduces it
 */
export async function runRounds({
  engine,
  rounds,
  answers,
  seconds,
  seed,
  disk = null,
  print,
}: Plan): Promise<void> {
  const random = createRandom(seed);
  const kills = disk ? POWER_CUTS : KILLS[engine];
  const installation = await createInstallation(engine, disk);
  const journal = createJournal(CLIENTS);
  const tally = createTally();
  const endAt = performance.now() + seconds * 1_000;
  let round = 0;
  let what = 'the first start';
  try {
    await begin(installation, journal, random, tally);
    for (; round < rounds && performance.now() < endAt; round++) {
      const kill = kills[round % kills.length] as Kill;
      what = `round ${round + 1}, ${kill.name}`;
      const before = journal.answers;
      const aim = await oneRound(installation, journal, kill, answers, random, tally);
      print(`${engine} ${what}: killed ${aim} after ${journal.answers - before} answers; nothing is missing`);
    }
    what = `the end, after ${round} rounds`;
    await verifyEnd(installation, journal, tally);
  } catch (error) {
    const output = installation.isRunning() ? installation.running().output().slice(-4_000) : '';
    await installation.close({ keep: true });
    const again = `node test/crash/run.ts --engine ${engine} --rounds ${rounds} --answers ${answers} --seed ${seed}${disk ? ` --power --file-system ${disk.fileSystem}` : ''}`;
    throw new Error(
      `${engine}, ${what} (${again}; the data are in ${installation.dataDir})\n${output}\n${journal.faults.join('\n')}`,
      { cause: error },
    );
  }
  await installation.close({ keep: false });
  for (const line of summary(engine, round, journal, tally)) print(line);
  if (disk) print(disk.summary());
}

/** Kills the first starts, which create the master key and the tables, then creates the shared licenses. */
async function begin(
  installation: Installation,
  journal: Journal,
  random: Random,
  tally: Tally,
): Promise<void> {
  for (let times = 0; times < FIRST_STARTS; times++) {
    await installation.startAndKill(1, random.between(0, START_MS));
    tally.killed('service during its first start');
  }
  await installation.start(1);
  for (const limit of SHARED_LIMITS) {
    const state: LicenseState = { key: newKey(), orderId: 1, userId: 1, limit };
    const values = { license_key: state.key, order_id: 1, user_id: 1, activations_limit: limit };
    await installation.running().license(values);
    journal.shared.push({ possible: [state], activations: [], unanswered: 0 });
  }
}

/** Returns the moment of the kill, in words. */
async function oneRound(
  installation: Installation,
  journal: Journal,
  kill: Kill,
  answers: number,
  random: Random,
  tally: Tally,
): Promise<string> {
  await installation.start(kill.workers);
  const load = startLoad(installation.running(), journal, random);
  const enough = journal.answers + random.between(MIN_ANSWERS, answers);
  await until('answers', async () => journal.answers > enough, LOAD_START_MS);
  const aim = random.chance(0.5) ? random.pick(AIMS) : undefined;
  if (aim) await until(aim, async () => load.underWay(aim) > 0, AIM_MS);
  await pause(random.magnitude(1, 50) - 1);
  await kill.strike({ installation, load, journal, random, killed: tally.killed });
  await load.ended();
  await installation.allGone();
  const isStart = !installation.isRunning();
  await installation.start(kill.workers);

  assert.deepEqual(journal.faults, []);
  await verifyEngine(installation);
  await verifyDatabase(installation, journal, tally);
  await verifyFiles(installation, journal, isStart || kill.workers > 1, tally);
  const older = Array.from({ length: OLDER }, () => random.pick(allOf(journal, 'releases'))).filter(
    (one) => one !== undefined,
  );
  await verifyService(installation, journal, older, tally);
  return aim === undefined ? 'at a random moment' : `during: ${aim}`;
}

/** After the last round, verifies everything once more, with the checks of an operator. */
async function verifyEnd(installation: Installation, journal: Journal, tally: Tally): Promise<void> {
  // A service that stops in order leaves the file of an upload that the database has not answered, until `doctor --fix`.
  await installation.kill();
  // The service removes the remains of a crashed batch after a day.
  await installation.change("update staged_licenses set staged_at = '2020-01-01 00:00:00'");
  await installation.start(1);
  const staged = async () =>
    Number((await installation.rows('select count(*) as n from staged_licenses'))[0]?.n);
  await until('no staged licenses', async () => (await staged()) === 0, LOAD_START_MS);
  await verifyDatabase(installation, journal, tally);
  await verifyFiles(installation, journal, true, tally);
  const releases = allOf(journal, 'releases').filter((one) => certain(one) !== null);
  await verifyService(installation, journal, releases, tally);
  const { stdout, stderr } = await installation.latchkey(['doctor', '--json']);
  const { ok, checks } = JSON.parse(stdout || `{"ok":false,"checks":[]}`);
  const faults = checks.filter(({ status }: { status: string }) => status === 'fail');
  assert.ok(ok, `doctor: ${JSON.stringify(faults)} ${stderr}`);
  const trail = await installation.latchkey(['audit', 'verify']);
  assert.equal(trail.code, 0, trail.stdout + trail.stderr);
}

function summary(engine: EngineName, rounds: number, journal: Journal, tally: Tally): string[] {
  const outcomes: Outcome[] = ['done', 'refused', 'unavailable', 'unanswered'];
  const operations = [...journal.counts].map(
    ([kind, counts]) =>
      `  ${kind}: ${outcomes
        .filter((one) => counts.has(one))
        .map((one) => `${counts.get(one)} ${one}`)
        .join(', ')}`,
  );
  return [
    `${engine}: ${rounds} rounds; nothing that was answered is missing, and nothing is half done.`,
    `Killed: ${tally.kills()}`,
    'Operations:',
    ...operations.sort(),
    `Compared: ${tally.comparisons()}`,
  ];
}
