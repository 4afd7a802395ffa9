import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { temporaryFolder } from '../folder.ts';
import { single, until } from './cluster.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

/** Starts a server that follows another by streaming replication, from a copy of its data made while it runs. */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const standby = await startPostgres({
    from: await baseBackup(primary),
    settings: { primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres` },
  });
  await until('the standby follows', async () => {
    const followers = "select count(*)::int from pg_stat_replication where state = 'streaming'";
    return (await single(primary, 'postgres', followers)) === 1;
  });
  return standby;
}

/** Copies a server's data as pg_basebackup does, which the npm package lacks. */
async function baseBackup(primary: PostgresServer): Promise<string> {
  const { uid, gid } = statSync(primary.dataDir);
  const dataDir = join(temporaryFolder(), 'data');
  const client = new pg.Client(primary.url('postgres'));
  await client.connect();
  // Autovacuum deletes files, which `cp` may just be copying.
  await client.query('alter system set autovacuum = off');
  await client.query('select pg_reload_conf()');
  await client.query("select pg_backup_start('standby', true)");
  execFileSync('cp', ['-a', primary.dataDir, dataDir]);
  const { rows } = await client.query('select labelfile from pg_backup_stop()');
  await client.end();
  rmSync(join(dataDir, 'postmaster.pid'));
  rmSync(join(dataDir, 'pg_wal'), { recursive: true });
  mkdirSync(join(dataDir, 'pg_wal'), { mode: 0o700 });
  writeFileSync(join(dataDir, 'backup_label'), rows[0].labelfile);
  writeFileSync(join(dataDir, 'standby.signal'), '');
  for (const made of [
    dirname(dataDir),
    ...['pg_wal', 'backup_label', 'standby.signal'].map((name) => join(dataDir, name)),
  ])
    chownSync(made, uid, gid);
  return dataDir;
}

/** Makes every commit wait until the standby has it, too. */
export async function replicateSynchronously(primary: PostgresServer): Promise<void> {
  await primary.query("alter system set synchronous_standby_names = '*'");
  await primary.query('select pg_reload_conf()');
  await until('the standby is synchronous', async () => {
    return (await single(primary, 'postgres', 'select max(sync_state) from pg_stat_replication')) === 'sync';
  });
}

/** Waits until the standby shows everything that the primary has committed. */
export async function caughtUp(primary: PostgresServer, standby: PostgresServer): Promise<void> {
  const position = await single(primary, 'postgres', 'select pg_current_wal_lsn()::text');
  const isThere = `select pg_last_wal_replay_lsn() >= '${position}'`;
  await until('the standby caught up', async () => (await single(standby, 'postgres', isThere)) === true);
}
