import { cpus } from 'node:os';
import { memory } from './run/cpu.ts';
import { parseOptions, wantedOf } from './run/options.ts';
import { startBare } from './run/processes.ts';
import { type Scenario, scenariosOf } from './run/scenarios.ts';
import { openSession } from './run/session.ts';
import { HEADINGS, lineOf } from './run/table.ts';
import { type Figures, measure, round, type Sides, warmUp } from './run/turns.ts';

/**
 * Measures what a request costs, compared with the runtime alone: `npm run bench`. The service as shipped and a bare
 * Node.js server that answers the same bytes alternate in the same run, so that a noisy machine affects both. The
 * measure is processor time per request, by the operating system's account, without the load generator. The last line
 * is one JSON object; docs/contribute/performance.md describes its fields.
 */
const options = parseOptions();
const { engine, licenses, quick, seconds } = options;
const scenarios: Record<string, Scenario> = scenariosOf(licenses);
const wanted = wantedOf(options, Object.keys(scenarios));

const CONNECTIONS = quick ? [16] : [1, 16, 256];
/** Many short turns: a disturbance that lasts a second then affects both servers. */
const PLAN = { seconds, warm: seconds * (quick ? 8 : 6), turns: quick ? 8 : 15 };
const COMPILING_SECONDS = seconds * 30;
/** Milliseconds of a quick run without preparing the data set, and the part of them reserved for its end. */
const QUICK_MS = 45_000;
const END_MS = 2_500;
/** Limit of a measurement in milliseconds: some requests take seconds on a large data set. */
const LONGEST_MS = seconds * 100_000;
/** Milliseconds reserved for a turn that has already begun. */
const LAST_TURN_MS = seconds * 2_000;

const session = await openSession(options);
const { service, database } = session;
const bare = await startBare();

/** Returns the milliseconds for the next of `left` measurements. A quick run stays quick on a slow machine. */
function timeFor(left: number): number {
  if (!quick) return LONGEST_MS;
  return (session.preparedIn * 1_000 + QUICK_MS - END_MS - performance.now()) / left - LAST_TURN_MS;
}

const sides: Sides = { service, bare, databasePids: database.pids };
const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node.js ${process.version}`;
console.log(`${engine}, ${licenses.toLocaleString('en')} licenses; ${machine}`);
const report: Record<string, Record<string, Figures>> = {};
const activating = scenarios.activate as Scenario;
try {
  await warmUp(sides, scenarios.validate as Scenario, COMPILING_SECONDS);
  console.log(HEADINGS);
  const all = wanted.flatMap((name) => CONNECTIONS.map((connections) => ({ name, connections })));
  for (const [done, { name, connections }] of all.entries()) {
    const until = performance.now() + timeFor(all.length - done);
    const plan = { ...PLAN, until };
    const figures = await measure(sides, scenarios[name] as Scenario, activating, connections, plan);
    report[name] = { ...report[name], [`c${connections}`]: figures };
    console.log(lineOf(name, connections, figures));
  }
  const started = Math.round(service.startedIn);
  const resident = memory(service.pid);
  const size = Math.round(await database.size());
  console.log(`started in ${started} ms; resident ${resident.most} MiB at most; database ${size} MiB`);
  console.log(
    JSON.stringify({
      engine,
      licenses,
      machine,
      ...(session.madeIn !== null && { dataset_s: round(session.madeIn, 1) }),
      start_ms: started,
      resident_mib: resident.most,
      database_mib: size,
      scenarios: report,
    }),
  );
} finally {
  await bare.stop();
  await session.close();
}
if (Object.values(report).some((figures) => Object.values(figures).some(({ failed }) => failed > 0)))
  process.exitCode = 1;
