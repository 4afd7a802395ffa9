import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import type { LeaseCase, Options } from '../vectors/cases.ts';
import { bare, KINDS, mutate } from '../vectors/mutate.ts';
import { LANGUAGES, prepare } from './languages.ts';

/**
 * `npm run test:verifiers`: builds each verifier whose toolchain this machine has, and compares what it says of the test
 * vectors, of very large texts, and of changed leases.
 *
 *     --require NAMES   fails unless these run: python,php
 *     --only NAMES      runs no others
 *     --changed N       changed leases; 5000 when not set
 *     --seed N          of the changes; a random one when not set
 */
const { values } = parseArgs({
  options: {
    require: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    changed: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const TIME_LIMIT = 300_000;

/** What a verifier is asked, and what it must say. */
interface Question {
  name: string;
  lease: string;
  roots: readonly string[];
  now: number;
  options: Options;
  /** State, code and claims; undefined where any will do. */
  answer: { state: string; code?: string | undefined; claims?: string | undefined };
}

const VECTORS = new URL('../vectors/', import.meta.url);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Some claims, as runners print them. */
const summary = ({ jti, sub = '', ent, n = '' }: NonNullable<LeaseCase['claims']>): string =>
  base64([jti, sub, (ent as string[]).join(','), n].join('\n'));

const vectors: Question[] = readdirSync(VECTORS)
  .filter((name) => /^leases-.*\.json$/.test(name))
  .flatMap((file) => {
    const { roots, now, cases } = JSON.parse(readFileSync(new URL(file, VECTORS), 'utf8'));
    return (cases as LeaseCase[]).map(({ name, lease, options, result, code, claims }) => ({
      name: `${file}: ${name}`,
      lease,
      roots,
      now: options.now ?? now,
      options,
      answer: {
        state: result,
        code: code ?? (result === 'refused' ? undefined : '-'),
        claims: claims && summary(claims),
      },
    }));
  });
const goods = vectors.filter(({ answer }) => answer.state !== 'refused');
const [first] = goods as [Question];

const MEGABYTES = 8 * 1024 ** 2;
const huge: Question[] = [' ', '.', 'A', '"', '[', '\\', '\n', '\t.', 'LKLEASE1.', 'é', '='].flatMap(
  (piece) => {
    const lease = piece.repeat(MEGABYTES / piece.length);
    return [lease, `${first.lease}${lease}x`].map((lease) => ({
      ...first,
      name: `8 MiB of ${JSON.stringify(piece)}`,
      lease,
      answer: { state: 'refused', code: 'malformed' },
    }));
  },
);

/** Numbers from 0 up to 1, the same for each seed (mulberry32). */
function randomBy(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Good leases, changed up to three times each. */
function changed(count: number, random: () => number): Question[] {
  const same = new Set(goods.map(({ lease }) => bare(lease)));
  const any = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const made: Question[] = [];
  while (made.length < count) {
    const question = any(goods);
    let { lease } = question;
    for (let times = Math.ceil(random() * 3); times > 0; times--)
      lease = mutate(lease, any(goods).lease, { kind: any(KINDS), a: random(), b: random(), c: random() });
    if (same.has(bare(lease)) || !lease.isWellFormed()) continue;
    made.push({
      ...question,
      name: `changed: ${question.name}: ${lease}`,
      lease,
      answer: { state: 'refused' },
    });
  }
  return made;
}

/** A question as a line: fields in base64, or "-". README.md explains them. */
const lineOf = ({ lease, roots, now, options }: Question): string =>
  [
    lease,
    roots.join(','),
    String(now),
    options.fingerprint,
    options.device_key,
    options.product === undefined ? undefined : String(options.product),
    options.nonce,
    options.revoked_keys?.join(','),
    options.revocations,
  ]
    .map((field) => (field === undefined ? '-' : base64(field)))
    .join(' ');

const questions = [...vectors, ...huge, ...changed(Number(values.changed), randomBy(Number(values.seed)))];
const input = questions.map((question) => `${lineOf(question)}\n`);

/** Asks a verifier everything. Returns what it says that is wrong. */
async function faultsOf([command = '', ...args]: readonly string[]): Promise<string[]> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], timeout: TIME_LIMIT });
  // A verifier that ends early closes its input: its answers say where.
  const asked = pipeline(Readable.from(input), child.stdin).catch(() => undefined);
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close'), asked]);
  const answers = output.split('\n').slice(0, -1);
  const faults = questions.slice(0, answers.length).flatMap(({ name, answer }, i) => {
    const [state, code, claims] = String(answers[i]).split(' ');
    const isRight =
      state === answer.state && code === (answer.code ?? code) && claims === (answer.claims ?? claims);
    return isRight
      ? []
      : [`${name}: ${answers[i]}, not ${answer.state} ${answer.code ?? ''} ${answer.claims ?? ''}`];
  });
  const missing = questions[answers.length];
  return code === 0 && !missing
    ? faults
    : [...faults, `ended with ${signal ?? code} at ${missing?.name ?? 'the end'}`];
}

const list = (names: string): string[] => names.split(',').filter(Boolean);
const required = list(values.require);
const only = list(values.only);
for (const name of [...required, ...only])
  if (!LANGUAGES.some((language) => language.name === name))
    throw new Error(`There is no verifier in ${name}.`);

console.log(
  `${vectors.length} vectors, ${huge.length} large texts, ${values.changed} changed leases by seed ${values.seed}`,
);
let isDone = true;
for (const language of LANGUAGES) {
  const { name, packages } = language;
  if (only.length > 0 && !only.includes(name)) continue;
  if (!language.isFound()) {
    console.log(
      `${name.padEnd(8)} not run: ${packages ? `it needs Debian's ${packages}` : 'Debian has no package for it'}`,
    );
    isDone &&= !required.includes(name);
    continue;
  }
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-verifier-'));
  const began = performance.now();
  try {
    const faults = await faultsOf(prepare(language, folder));
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    console.log(
      `${name.padEnd(8)} ${faults.length === 0 ? 'as the vectors say' : `${faults.length} wrong`} (${seconds} s)`,
    );
    for (const fault of faults.slice(0, 20)) console.log(`  ${fault.slice(0, 300)}`);
    isDone &&= faults.length === 0;
  } catch (error) {
    console.log(`${name.padEnd(8)} cannot be built: ${(error as Error).message}`);
    isDone = false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
process.exitCode = isDone ? 0 : 1;
