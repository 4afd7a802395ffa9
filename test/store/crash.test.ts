import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { makeCredentials } from '../../src/app/credentials.ts';
import { databaseFile } from '../../src/service.ts';
import { newKey } from '../support/api.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';

const ROUNDS = 6;
const CLIENTS = 8;

/** What was answered 200, and so must be there after any crash. */
interface Answered {
  created: Set<string>;
  activated: Map<string, string>;
  deactivated: Set<string>;
}

/** Creates, activates and deactivates until the service is gone, writing down each answer. */
async function work(api: RunningProcess, limited: string, answered: Answered): Promise<void> {
  for (;;) {
    const key = newKey();
    const json = { license_key: key, valid_for: 0, status: 3, activations_limit: 5 };
    if ((await api.call('POST', '/licenses', { json })).status === 200) answered.created.add(key);
    for (const target of [key, limited]) {
      const made = await api.call('GET', `/licenses/activate/${target}`);
      if (made.status === 200) answered.activated.set(made.body.data.token, target);
    }
    const [token] = [...answered.activated.keys()].filter((one) => !answered.deactivated.has(one));
    if (!token) continue;
    const ended = await api.call('GET', `/licenses/deactivate/${token}`);
    if (ended.status === 200) answered.deactivated.add(token);
  }
}

test(`killed at ${ROUNDS} random moments under load: everything answered 200 is there, and no limit is passed`, async (t) => {
  const dataDir = temporaryFolder();
  const credentials = makeCredentials();
  const answered: Answered = { created: new Set(), activated: new Map(), deactivated: new Set() };
  const limited = newKey();
  for (let round = 0; round < ROUNDS; round++) {
    const api = await startProcess(t, dataDir, { credentials });
    if (round === 0) await api.license({ license_key: limited, activations_limit: 7 });
    const clients = Array.from({ length: CLIENTS }, () => work(api, limited, answered).catch(() => {}));
    const enough = answered.created.size + 5 + Math.floor(Math.random() * 60);
    while (answered.created.size < enough) await new Promise((resolve) => setImmediate(resolve));
    await api.stop('SIGKILL');
    await Promise.all(clients);
  }

  const api = await startProcess(t, dataDir, { credentials });
  for (const key of answered.created) await api.ok('GET', `/licenses/${key}`);
  for (const token of answered.activated.keys()) {
    const { status, body } = await api.call('GET', `/licenses/validate/${token}`);
    // One that was being deactivated when the service died may be either; one that was answered must be ended.
    if (answered.deactivated.has(token)) assert.match(body.message, /deactivated/);
    else assert.ok(status === 200 || /deactivated/.test(body.message), body.message);
  }
  await api.stop();

  const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true });
  t.after(() => database.close());
  const one = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  assert.equal(one('pragma integrity_check'), 'ok');
  const wrong = `select count(*) from licenses l where times_activated <>
    (select count(*) from activations a where a.license_id = l.id and a.deactivated_at is null)
    or (activations_limit > 0 and times_activated > activations_limit)`;
  assert.equal(one(wrong), 0);
});
