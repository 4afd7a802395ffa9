import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../../test/support/folder.ts';
import type { EventType } from '../../domain/events/event.ts';
import { createKeyring } from '../keys/keyring.ts';
import { queries } from '../sql/index.ts';
import { SqliteConnection, sqliteEngine } from './connection.ts';
import { prepareSqlite } from './store.ts';
import { rememberWanted } from './wanted-events.ts';

const NOW = '2026-01-01 00:00:00';
const endpoint = (types: EventType[]) => ({
  ...({
    kind: 'poll',
    description: '',
    url: null,
    types,
    products: null,
    isOrdered: false,
    format: 1,
  } as const),
  ...({
    headerNames: [],
    publicKey: null,
    oldSecretUntil: null,
    state: 'enabled',
    disabledAs: null,
  } as const),
  lastSeq: 0,
  failures: 0,
  failingSince: null,
  pausedUntil: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastError: null,
  createdAt: NOW,
  createdBy: 1,
  updatedAt: null,
  updatedBy: null,
});

/** A writer that remembers which events are wanted, a second writer that does not, and the number of reads by the first. */
async function opened(t: TestContext) {
  const file = join(temporaryFolder(), 'latchkey.db');
  const { keys } = await prepareSqlite({
    file,
    masterKey: Buffer.alloc(32, 7),
    patience: 1_000,
    version: '1',
  });
  const [connection, other] = [1, 2].map(() => {
    const one = new SqliteConnection(file, { readOnly: false, timeout: 1_000 });
    t.after(() => one.close());
    return one;
  }) as [SqliteConnection, SqliteConnection];
  const ofConnection = queries(sqliteEngine, createKeyring(keys));
  let reads = 0;
  const counting = ofConnection({
    execute(text, parameters, kind) {
      if (text.startsWith('select "types" from "event_endpoints"')) reads++;
      return connection.execute(text, parameters, kind);
    },
  });
  const { transaction, begun } = rememberWanted(counting, () => connection.dataVersion());
  const within = async (end: 'commit' | 'rollback', work: () => Promise<unknown>) => {
    connection.begin();
    begun();
    await work();
    connection.exec(end);
  };
  const wanted = async () => [...(await transaction.events.wanted())];
  return { transaction, within, wanted, elsewhere: ofConnection(other), reads: () => reads };
}

test('which events are wanted is read once, and again after another connection has changed anything', async (t) => {
  const { within, wanted, elsewhere, reads } = await opened(t);
  for (let i = 0; i < 3; i++) await within('commit', async () => assert.deepEqual(await wanted(), []));
  assert.equal(reads(), 1);
  const id = await elsewhere.endpoints.insert(endpoint(['license.created']), null);
  await within('commit', async () => assert.deepEqual(await wanted(), ['license.created']));
  await elsewhere.endpoints.delete(id);
  await within('commit', async () => assert.deepEqual(await wanted(), []));
});

test('a transaction knows what it has wanted itself, and the next ones do unless it was rolled back', async (t) => {
  const { transaction, within, wanted } = await opened(t);
  const { endpoints } = transaction;
  for (const end of ['rollback', 'commit'] as const) {
    await within(end, async () => {
      assert.deepEqual(await wanted(), []);
      await endpoints.insert(endpoint(['license.created']), null);
      assert.deepEqual(await wanted(), ['license.created']);
    });
    await within('commit', async () =>
      assert.deepEqual(await wanted(), end === 'commit' ? ['license.created'] : []),
    );
  }
  for (const change of [
    () => endpoints.update(1, { types: ['license.deleted'] }),
    () => endpoints.stop(1, { state: 'disabled', disabledAs: 'person' }),
    () => endpoints.update(1, { state: 'enabled' }),
    () => endpoints.delete(1),
  ]) {
    let before: string[] = [];
    await within('commit', async () => {
      before = await wanted();
      await change();
      assert.notDeepEqual(await wanted(), before);
    });
    await within('commit', async () => assert.notDeepEqual(await wanted(), before));
  }
});
