import type { TestEvent } from 'node:test/reporters';
import { spec } from 'node:test/reporters';
import { saveTimes, usageOf } from './times.ts';

/** Number of files to list at the end of a run. */
const MOST = 10;

/**
 * The reporter of Node.js, which also lists the test files with the most processor time before its summary. A file is a
 * top-level test (`queue.ts`).
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const reporter = new spec();
  const seconds = new Map<string, number>();
  const usage = new Map<string, number>();
  let isSummary = false;
  for await (const event of events) {
    if ((event.type === 'test:pass' || event.type === 'test:fail') && event.data.nesting === 0) {
      const { name, details } = event.data;
      seconds.set(name, Math.max(seconds.get(name) ?? 0, details.duration_ms / 1_000));
    }
    if (!isSummary && event.type === 'test:diagnostic' && /^tests \d+$/.test(event.data.message)) {
      isSummary = true;
      saveTimes(seconds);
      yield most(usage, seconds);
    }
    const used = event.type === 'test:diagnostic' && usageOf(event.data.message);
    if (used) {
      usage.set(used.title, used.seconds);
      continue;
    }
    reporter.write(event);
    yield reporter.read()?.toString() ?? '';
  }
  reporter.end();
  for await (const chunk of reporter) yield chunk.toString();
}

function most(usage: ReadonlyMap<string, number>, seconds: ReadonlyMap<string, number>): string {
  const all = [...usage.values()].reduce((sum, used) => sum + used, 0);
  const files = [...usage].sort(([, a], [, b]) => b - a).slice(0, MOST);
  const lines = files.map(([file, used]) => {
    const time = (seconds.get(file) ?? 0).toFixed(1);
    return `${used.toFixed(1).padStart(8)} s in ${time.padStart(6)} s  ${file}\n`;
  });
  return `\nThe test files took ${all.toFixed(0)} s of processor time; those that took the most:\n${lines.join('')}\n`;
}
