import { BENCH } from './run/dataset.ts';
import { parseOptions, wantedOf } from './run/options.ts';
import type { Server } from './run/processes.ts';
import { scenariosOf } from './run/scenarios.ts';
import { openSession } from './run/session.ts';
import { measureCommits } from './writes/commits.ts';
import { measureGenerate } from './writes/generate.ts';
import { createProbe, type Probe } from './writes/probe.ts';
import { measureSlowDisk } from './writes/slow-disk.ts';
import { measureThread } from './writes/thread.ts';

/**
 * Measures how writes share disk syncs on SQLite, and how they slow reads down: `npm run bench:writes`, with the flags
 * of `npm run bench`. The last line is one JSON object; docs/contribute/performance.md describes its fields.
 */
const options = parseOptions();
if (options.engine !== 'sqlite') throw new Error('only SQLite has a writer thread');
const { licenses } = options;
const seconds = options.seconds * 4;
const { validate, activate } = scenariosOf(licenses);

/** The parts run one after the other; each is printed when it is done. */
const parts: Record<string, (service: Server, probe: Probe) => Promise<object>> = {
  thread: () => measureThread(),
  commits: ({ port }, probe) => measureCommits(port, activate, probe, seconds),
  slow_disk: ({ port }, probe) => measureSlowDisk(port, validate, activate, probe, seconds),
  generate: (service) => measureGenerate(service, validate, activate),
};
const wanted = wantedOf(options, Object.keys(parts));
const probe = createProbe();
const session = await openSession(options, BENCH, probe);
try {
  const report: Record<string, unknown> = {};
  for (const [name, measure] of Object.entries(parts)) {
    if (!wanted.includes(name)) continue;
    const figures = await measure(session.service, probe);
    report[name] = figures;
    console.log(name);
    console.table(figures);
  }
  console.log(JSON.stringify({ licenses, ...report }));
} finally {
  await session.close();
  probe.remove();
}
