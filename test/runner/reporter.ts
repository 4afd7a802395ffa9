import type { TestEvent } from 'node:test/reporters';
import { spec } from 'node:test/reporters';
import { saveTimes } from './times.ts';

/** Files that are named at the end of a run. */
const SLOWEST = 10;

/** The reporter of Node.js, with the slowest test files before its summary. A file is a test at the top (`queue.ts`). */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const reporter = new spec();
  const seconds = new Map<string, number>();
  let isSummary = false;
  for await (const event of events) {
    if ((event.type === 'test:pass' || event.type === 'test:fail') && event.data.nesting === 0) {
      const { name, details } = event.data;
      seconds.set(name, Math.max(seconds.get(name) ?? 0, details.duration_ms / 1_000));
    }
    if (!isSummary && event.type === 'test:diagnostic' && /^tests \d+$/.test(event.data.message)) {
      isSummary = true;
      saveTimes(seconds);
      yield slowest(seconds);
    }
    reporter.write(event);
    yield reporter.read()?.toString() ?? '';
  }
  reporter.end();
  for await (const chunk of reporter) yield chunk.toString();
}

function slowest(seconds: ReadonlyMap<string, number>): string {
  const files = [...seconds].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  const lines = files.map(([file, time]) => `${time.toFixed(1).padStart(8)} s  ${file}\n`);
  return `\nThe slowest test files:\n${lines.join('')}\n`;
}
