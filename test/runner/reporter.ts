import type { TestEvent } from 'node:test/reporters';
import { spec } from 'node:test/reporters';

/** Files that are named at the end of a run. */
const SLOWEST = 10;

/** The runtime's own reporter, which tells the slowest test files before its summary. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const seconds = new Map<string, number>();
  const reporter = spec();
  let isTold = false;
  for await (const event of events) {
    if ((event.type === 'test:pass' || event.type === 'test:fail') && event.data.nesting === 0) {
      const name = event.data.name;
      seconds.set(name, (seconds.get(name) ?? 0) + event.data.details.duration_ms / 1_000);
    }
    if (!isTold && event.type === 'test:diagnostic' && /^tests \d+$/.test(event.data.message)) {
      isTold = true;
      yield told(seconds);
    }
    reporter.write(event);
    yield reporter.read()?.toString() ?? '';
  }
  reporter.end();
  for await (const chunk of reporter) yield chunk.toString();
}

function told(seconds: ReadonlyMap<string, number>): string {
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  const lines = slowest.map(([file, time]) => `${time.toFixed(1).padStart(8)} s  ${file}`);
  return `\nThe slowest files:\n${lines.join('\n')}\n`;
}
