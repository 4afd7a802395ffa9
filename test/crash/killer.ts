import type { Random } from '../support/faults/random.ts';
import { pause, until } from '../support/postgres/cluster.ts';
import { answers, type PostgresServer } from '../support/postgres/postgres.ts';
import type { Load } from './client.ts';
import type { EngineName, Installation } from './installation.ts';
import type { Journal } from './journal.ts';

/** What a kill needs to know of its round. */
export interface Round {
  installation: Installation;
  load: Load;
  journal: Journal;
  random: Random;
  /** Counts a kill for the summary. */
  killed(what: string): void;
}

/** A way to kill under load. */
export interface Kill {
  name: string;
  /** Number of serving processes. */
  workers: number;
  /** Kills, ends the load and restores the database. Afterwards the service works again or does not run. */
  strike(round: Round): Promise<void>;
}

/** Milliseconds for everything that recovers by itself after a kill. */
const RECOVERY_MS = 60_000;
/** Number of answers that the load must get after a kill that the service survives. */
const MORE_ANSWERS = 60;
/** The latest moment, in milliseconds, at which a starting service is killed. */
export const START_MS = 900;

/** Kills the primary process, and with `all` its workers. */
export async function killService({ installation, load, killed }: Round, all = false): Promise<void> {
  const many = installation.workerIds().length;
  const gone = installation.kill(all);
  load.end();
  await gone;
  killed(many === 0 ? 'service' : 'primary process');
  if (all) for (let i = 0; i < many; i++) killed('worker');
}

/** Waits until the service has answered more requests, without help. */
async function servesOn({ journal }: Round): Promise<void> {
  const before = journal.answers;
  await until('answers after the kill', async () => journal.answers > before + MORE_ANSWERS, RECOVERY_MS);
}

async function killInStart(round: Round): Promise<void> {
  await killService(round);
  await round.load.ended();
  for (let times = round.random.between(1, 2); times > 0; times--) {
    await round.installation.startAndKill(1, round.random.between(0, START_MS));
    round.killed('service during its start');
  }
}

async function killWorkers(round: Round): Promise<void> {
  const { installation, random, killed } = round;
  for (let times = random.between(1, 2); times > 0; times--) {
    const pid = random.pick(installation.workerIds());
    if (pid === undefined) throw new Error('no worker is running');
    process.kill(pid, 'SIGKILL');
    killed('worker');
    await pause(random.between(0, 100));
  }
  await until('a new worker', async () => installation.workerIds().length === 2, RECOVERY_MS);
  await servesOn(round);
}

const serverOf = ({ installation }: Round): PostgresServer => installation.server as PostgresServer;

async function crashDatabase(round: Round, how: 'immediate' | 'killed'): Promise<void> {
  const server = serverOf(round);
  await server.stop(how);
  round.killed(how === 'killed' ? 'postmaster' : 'database, immediate stop');
  await pause(round.random.between(0, 200));
  await server.start();
}

async function killBackend(round: Round): Promise<void> {
  const server = serverOf(round);
  const { rows } = await server.query(
    "select pid from pg_stat_activity where datname = 'latchkey' and pid <> pg_backend_pid() and backend_type = 'client backend'",
  );
  const found = round.random.pick(rows);
  if (!found) throw new Error('no client is connected to the database');
  // The server then ends all other backends and recovers by itself.
  process.kill(found.pid, 'SIGKILL');
  round.killed('database backend');
  await until('the recovery of the database', () => answers(server.url('latchkey')), RECOVERY_MS);
}

export const KILLS: Record<EngineName, readonly Kill[]> = {
  sqlite: [
    { name: 'service', workers: 1, strike: killService },
    { name: 'primary of two workers', workers: 2, strike: killService },
    { name: 'single workers', workers: 2, strike: killWorkers },
    { name: 'primary and workers together', workers: 2, strike: (round) => killService(round, true) },
    { name: 'service and its next start', workers: 1, strike: killInStart },
  ],
  postgres: [
    { name: 'service', workers: 1, strike: killService },
    {
      name: 'postmaster',
      workers: 1,
      strike: (round) => crashDatabase(round, 'killed').then(() => servesOn(round)),
    },
    {
      name: 'database, immediate stop',
      workers: 1,
      strike: (round) => crashDatabase(round, 'immediate').then(() => servesOn(round)),
    },
    {
      name: 'service and postmaster together',
      workers: 1,
      async strike(round) {
        await Promise.all([crashDatabase(round, 'killed'), killService(round)]);
      },
    },
    { name: 'a backend', workers: 1, strike: (round) => killBackend(round).then(() => servesOn(round)) },
    { name: 'service and its next start', workers: 1, strike: killInStart },
  ],
};
