import { parseArgs } from 'node:util';
import { runEventRounds } from './event-rounds.ts';
import type { EngineName } from './installation.ts';
import { runRounds } from './rounds.ts';

/** `npm run test:crash`: the long run. CONTRIBUTING.md lists the flags. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    answers: { type: 'string', default: '400' },
    engine: { type: 'string', default: 'both' },
    seconds: { type: 'string', default: 'Infinity' },
    power: { type: 'boolean', default: false },
    events: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '4' },
    'file-system': { type: 'string', default: 'ext4' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
  },
});
const ENGINES: Record<string, readonly EngineName[]> = {
  sqlite: ['sqlite'],
  postgres: ['postgres'],
  both: ['sqlite', 'postgres'],
};
const engines = ENGINES[values.engine];
const [rounds, answers] = [Number(values.rounds), Number(values.answers)];
const nodes = Number(values.nodes);
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
if (!engines) throw new Error('--engine must be sqlite, postgres or both');
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number above 0');
if (!Number.isInteger(answers) || answers < 50) throw new Error('--answers must be a whole number above 49');
if (!Number.isInteger(nodes) || nodes < 2) throw new Error('--nodes must be a whole number above 1');
if (!(seconds > 0)) throw new Error('--seconds must be a number above 0');
if (!Number.isInteger(seed)) throw new Error('--seed must be a whole number');
// Imported on demand: the module restarts this program in a mount namespace.
const disks = values.power ? await import('../support/faults/volatile-disk.ts') : null;
const fileSystem = values['file-system'];
const whyNot = disks?.whyNoDisk(fileSystem);
if (whyNot) throw new Error(`--power: ${whyNot}`);

// Exit handlers end everything that this program has started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const begun = performance.now();
console.log(`--seed ${seed}`);
for (const engine of engines) {
  if (values.events) {
    await runEventRounds({ engine, rounds, nodes, seed, print: console.log });
    continue;
  }
  const disk = disks && (await disks.createVolatileDisk(fileSystem, seed));
  await runRounds({ engine, rounds, answers, seconds, seed, disk, print: console.log });
}
console.log(`${Math.round((performance.now() - begun) / 1_000)} seconds`);
process.exit();
