import assert from 'node:assert/strict';
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { foreseen } from '../../src/cli/failure.ts';
import { databaseFile, readMasterKey } from '../../src/installation/service.ts';
import { inspectSqlite } from '../../src/store/sqlite/inspect.ts';
import { migratedCli } from '../cli/cli.ts';
import { assertWhole } from '../support/faults/integrity.ts';
import { createRandom, type Random } from '../support/faults/random.ts';
import { roundsOf } from '../support/faults/rounds.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Answer, Record_ } from '../support/http/api.ts';
import { runLatchkey, startProcess } from '../support/process.ts';
import { type Running, startService } from '../support/service.ts';

const LICENSES = 1_500;
const PAGE = 4_096;

/** A sound data directory, and the answers of a server from it. */
const sound = await migratedCli();
const truth = new Map<string, Record_>();
const tokens = new Map<string, Record_>();
/** A copy from a running server, as a crash would leave it, with a log next to the database. */
let crashed: string;

before(async (t) => {
  const keys = Array.from({ length: LICENSES }, (_, i) => `KEY-${i},5`);
  await sound.ok(['license', 'import', '-'], {
    input: ['license_key,activations_limit', ...keys].join('\n'),
  });
  const api = await startProcess(t as TestContext, sound.dataDir);
  for (let i = 0; i < LICENSES; i += 30) {
    const { token } = await api.activation(`KEY-${i}`, { label: `machine ${i}` });
    tokens.set(token, await api.ok('GET', `/licenses/validate/${token}`));
  }
  for (let i = 0; i < LICENSES; i += 30) truth.set(`KEY-${i}`, await api.ok('GET', `/licenses/KEY-${i}`));
  crashed = temporaryFolder();
  // Copied while the server runs and is idle, as a crash would leave it.
  for (const name of ['latchkey.db', 'latchkey.db-wal', 'master.key'])
    copyFileSync(join(sound.dataDir, name), join(crashed, name));
  await api.stop();
});

function copyOf(dataDir: string): string {
  const folder = temporaryFolder();
  for (const name of ['latchkey.db', 'latchkey.db-wal', 'master.key'])
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(folder, name));
  return folder;
}

const DAMAGES: Record<string, (file: Buffer, random: Random) => Buffer> = {
  'the header overwritten': (file, random) => {
    random.bytes(100).copy(file, 0);
    return file;
  },
  'a few bytes of the header': (file, random) => {
    random.bytes(4).copy(file, random.below(96));
    return file;
  },
  'pages overwritten': (file, random) => {
    for (let pages = 1 + random.below(12); pages > 0; pages--)
      random.bytes(PAGE).copy(file, PAGE * (1 + random.below(file.length / PAGE - 1)));
    return file;
  },
  'pages of zeros': (file, random) => {
    for (let pages = 1 + random.below(12); pages > 0; pages--) {
      const at = PAGE * (1 + random.below(file.length / PAGE - 1));
      file.fill(0, at, at + PAGE);
    }
    return file;
  },
  'half of it overwritten': (file, random) => {
    random.bytes(file.length / 2).copy(file, PAGE * random.below(file.length / PAGE / 2));
    return file;
  },
  'bytes here and there': (file, random) => {
    for (let bytes = 1 + random.below(200); bytes > 0; bytes--)
      file[random.below(file.length)] = random.below(256);
    return file;
  },
  'cut at some byte': (file, random) => file.subarray(0, 1 + random.below(file.length - 1)),
  'cut at some page': (file, random) => file.subarray(0, PAGE * (1 + random.below(file.length / PAGE - 1))),
  'no bytes left': (file) => file.subarray(0, 0),
  'another kind of file': (_, random) => Buffer.from('PK not a database\n'.repeat(1 + random.below(5_000))),
};

/** Asserts a success, or an error in the envelope that leaks no detail. */
function assertEnvelope({ status, body }: Answer): void {
  if (status === 200) return void assert.equal(body.success, true);
  assert.ok([500, 503, 404, 401].includes(status), JSON.stringify(body));
  assert.equal(body.data.status, status);
  assert.equal(typeof body.message, 'string');
  assert.doesNotMatch(JSON.stringify(body), /malformed|sqlite|corrupt|\bat \//i);
}

/** Reads and changes everything, and counts right answers, refusals and wrong answers. */
async function useAll(api: Running) {
  const seen = { right: 0, refused: [] as string[], wrong: [] as string[] };
  const note = (what: string, answer: Answer, expected: Record_ | null) => {
    assertEnvelope(answer);
    if (answer.status >= 500) seen.refused.push(what);
    else if (
      expected &&
      (answer.status !== 200 || JSON.stringify(answer.body.data) !== JSON.stringify(expected))
    )
      seen.wrong.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    else seen.right++;
  };
  for (const [key, license] of truth) note(key, await api.call('GET', `/licenses/${key}`), license);
  for (const [token, activation] of tokens)
    note('validate', await api.call('GET', `/licenses/validate/${token}`), activation);
  for (const path of ['/licenses', '/generators', '/software']) note(path, await api.call('GET', path), null);
  for (let i = 1; i < LICENSES; i += 50)
    note('activate', await api.call('GET', `/licenses/activate/KEY-${i}`), null);
  const json = { license_key: 'NEW', valid_for: 0, status: 3, activations_limit: 1 };
  note('create', await api.call('POST', '/licenses', { json }), null);
  assert.ok(await fetch(`${new URL(api.root).origin}/healthz`).then(({ ok }) => ok));
  return seen;
}

/** The faults that doctor finds. */
async function findings(dataDir: string): Promise<string[]> {
  try {
    const { faults, damaged } = await inspectSqlite(databaseFile(dataDir), readMasterKey(dataDir));
    return [...faults, ...damaged.map(({ table, id }) => `${table} ${id}`)];
  } catch (error) {
    return [String(error)];
  }
}

test('a server with a damaged file refuses to start with a reason, or serves whatever is intact', async (t) => {
  const rounds = roundsOf(Object.keys(DAMAGES).length);
  t.diagnostic(`seed ${rounds.seed}`);
  const outcomes = new Map<string, number>();
  const count = (what: string) => outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
  for (const round of rounds.each()) {
    const random = createRandom(rounds.seed + round);
    const kinds = Object.keys(DAMAGES);
    const kind = kinds[round % kinds.length] as string;
    const dataDir = copyOf(sound.dataDir);
    const file = databaseFile(dataDir);
    writeFileSync(file, DAMAGES[kind]?.(readFileSync(file), random) as Buffer);
    const about = `round ${round} of seed ${rounds.seed}: ${kind}`;
    const found = await findings(dataDir);
    const ends: (() => Promise<void>)[] = [];
    try {
      const api = await startService({ after: (end) => void ends.push(end) }, { dataDir });
      const { wrong, refused } = await useAll(api);
      const logs = api.logs.join('');
      assert.doesNotMatch(logs, /the writer stopped/, about);
      if (refused.length > 0)
        assert.ok(found.length > 0, `${about}: doctor finds nothing, but ${refused} was refused:\n${logs}`);
      if (refused.length > 0 && /StoreDamaged/.test(logs))
        assert.match(logs, /the database is damaged.*backup/, about);
      count(
        `${kind}: started, ${refused.length > 0 ? 'some refused' : 'all served'}${wrong.length > 0 ? ', some WRONG' : ''}${found.length > 0 ? '' : ', doctor finds nothing'}`,
      );
      if (wrong.length > 0)
        t.diagnostic(`${about}: ${wrong.length} wrong, such as ${wrong[0]?.slice(0, 300)}`);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      const failure = foreseen(error);
      assert.equal(failure?.exitCode, 3, `${about}: ${(error as Error).stack}`);
      count(
        `${kind}: refused: ${failure?.message
          .replaceAll(/"[^"]*"/g, '"…"')
          .replaceAll(dataDir, '…')
          .slice(0, 200)}`,
      );
    } finally {
      for (const end of ends) await end();
    }
  }
  for (const [what, times] of [...outcomes].sort()) t.diagnostic(`${times} × ${what}`);
});

test('a server with a damaged write-ahead log starts with the intact changes, and the database is sound', async (t) => {
  const rounds = roundsOf(3);
  for (const round of rounds.each()) {
    const random = createRandom(rounds.seed + round);
    const dataDir = copyOf(crashed);
    const log = `${databaseFile(dataDir)}-wal`;
    const bytes = readFileSync(log);
    assert.ok(bytes.length > 0);
    const damage = random.pick(['pages overwritten', 'cut at some byte', 'bytes here and there'] as const);
    writeFileSync(log, DAMAGES[String(damage)]?.(bytes, random) as Buffer);
    const about = `round ${round} of seed ${rounds.seed}: ${damage}`;
    const ends: (() => Promise<void>)[] = [];
    const api = await startService({ after: (end) => void ends.push(end) }, { dataDir });
    // The licenses were checkpointed into the file long ago; activations lost with the log are absent.
    const { refused } = await useAll(api);
    assert.deepEqual(refused, [], about);
    for (const end of ends) await end();
    assertWhole(dataDir);
  }
  t.diagnostic(`seed ${rounds.seed}`);
});

test('requests that meet damage answer 500, with advice in the log; others are served, and the process stays', async (t) => {
  const dataDir = copyOf(sound.dataDir);
  const api = await startProcess(t, dataDir);
  const file = openSync(databaseFile(dataDir), 'r+');
  const { size } = fstatSync(file);
  // Overwrite all pages but the schema and the few that every start reads.
  const garbage = createRandom(1).bytes(PAGE);
  for (let at = 30 * PAGE; at < size; at += PAGE) writeSync(file, garbage, 0, PAGE, at);
  closeSync(file);
  const statuses = new Set<number>();
  for (const key of truth.keys()) {
    const answer = await api.call('GET', `/licenses/${key}`);
    assertEnvelope(answer);
    statuses.add(answer.status);
    if (answer.status === 200) assert.deepEqual(answer.body.data, truth.get(key));
    else assert.equal(answer.status, 500);
  }
  assert.ok(statuses.has(500));
  for (let i = 0; i < 20; i++) assertEnvelope(await api.call('GET', `/licenses/activate/KEY-${i}`));
  assert.equal((await fetch(`${api.origin}/healthz`)).status, 200);
  assert.match(api.output(), /the database is damaged; stop the server and restore it from a backup/);
  const doctor = await runLatchkey(['doctor'], { env: { LATCHKEY_DATA_DIR: dataDir } });
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /^fail {2}Database [^\n]*\n[^\n]*restore the database from a backup/m);
  await api.stop();
});

test('each start on a damaged file exits with 3 and one line that says what to do', async () => {
  for (const kind of ['the header overwritten', 'cut at some page']) {
    const dataDir = copyOf(sound.dataDir);
    const file = databaseFile(dataDir);
    const damaged = DAMAGES[kind]?.(readFileSync(file), createRandom(7)) as Buffer;
    writeFileSync(file, damaged);
    const { code, stderr } = await runLatchkey(['serve'], {
      env: { LATCHKEY_DATA_DIR: dataDir, LATCHKEY_PORT: '0' },
    });
    assert.equal(code, 3, stderr);
    assert.match(
      stderr,
      /^error: The database is damaged: [^\n]*Restore it from a backup\. Run "latchkey doctor" for details\.\n$/,
    );
    assert.deepEqual(readFileSync(file), damaged);
  }
});

test('a log without its database stops a start and a restore, and is not applied to a new database', async () => {
  const dataDir = copyOf(crashed);
  const log = readFileSync(join(dataDir, 'latchkey.db-wal'));
  assert.ok(log.length > 0);
  const backup = join(temporaryFolder(), 'made.tar');
  await sound.ok(['backup', '--to', backup]);
  rmSync(databaseFile(dataDir));
  for (const args of [['migrate'], ['serve', '--port', '0'], ['restore', backup]]) {
    const { code, stderr } = await runLatchkey(args, { env: { LATCHKEY_DATA_DIR: dataDir } });
    assert.notEqual(code, 0, args.join(' '));
    assert.match(stderr, /latchkey\.db-wal holds the latest changes of a database that is missing: put/);
    assert.ok(!existsSync(databaseFile(dataDir)));
  }
  assert.deepEqual(readFileSync(join(dataDir, 'latchkey.db-wal')), log);
});
