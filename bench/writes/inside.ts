import { openSync, readSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';
import { COUNT, DELAY } from './probe.ts';

/**
 * Loaded into each thread of the service before its own code (`node --import`). Counts the commits of the writer, and
 * delays them as a slow disk would. Both numbers are in the file of `probe.ts`.
 */
const file = openSync(String(process.env.BENCH_PROBE), 'r+');
const [count, delay] = [Buffer.alloc(8), Buffer.alloc(8)];
const pause = new Int32Array(new SharedArrayBuffer(4));

function committing<T>(commit: () => T): T {
  readSync(file, delay, 0, 8, DELAY);
  const milliseconds = delay.readDoubleLE();
  if (milliseconds > 0) Atomics.wait(pause, 0, 0, milliseconds);
  const result = commit();
  count.writeDoubleLE(count.readDoubleLE() + 1);
  writeSync(file, count, 0, 8, COUNT);
  return result;
}

// The thread that answers requests only reads, but also ends its reads with a commit.
const isCommit = (sql: string): boolean => !isMainThread && /^\s*commit\b/i.test(sql);
const { exec, prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) {
  const run = () => exec.call(this, sql);
  return isCommit(sql) ? committing(run) : run();
};
DatabaseSync.prototype.prepare = function (sql, ...rest) {
  const statement = prepare.call(this, sql, ...rest);
  if (!isCommit(sql)) return statement;
  const run = statement.run.bind(statement) as (...values: unknown[]) => ReturnType<typeof statement.run>;
  statement.run = (...values: unknown[]) => committing(() => run(...values));
  return statement;
};
