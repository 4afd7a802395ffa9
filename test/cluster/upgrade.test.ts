import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import type { Migration } from '../../src/store/migrations/migration.ts';
import { postgresEngine } from '../../src/store/postgres/connection.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { everyRoute } from '../support/http/every-route.ts';
import { connectTo, createCluster, serverOfFile, single } from '../support/postgres/cluster.ts';

const server = await serverOfFile();
const WIDENED = ['licenses', 'activations', 'api_keys', 'generators', 'software', 'releases'] as const;

/** A migration of a later version. It only expands the schema, so earlier programs keep working beside it. */
const later: Migration = {
  name: '9999-later',
  note: 'Expands.',
  up: ({ schema, types, table }) => [
    ...WIDENED.map((name) => schema.alterTable(name).addColumn('note', 'text')),
    schema.alterTable('licenses').addColumn('seats', 'integer', (c) => c.notNull().defaultTo(1)),
    schema.createIndex('licenses_by_note').on('licenses').columns(['note', 'id']),
    schema
      .createTable('things')
      .addColumn('id', types.id, types.identity)
      .addColumn('license_id', types.bigint, (c) => c.references('licenses.id').onDelete('cascade'))
      .$call(table),
  ],
};

/** Applies migrations as a starting node of another version does. */
async function migrateTo(
  t: TestContext,
  database: string,
  migrations: readonly Migration[],
): Promise<string[]> {
  const client = await connectTo(t, server, database);
  const connection = {
    execute: async (text: string, values: readonly unknown[]) => {
      const { rows, rowCount } = await client.query(text, [...values]);
      return { rows, affected: rowCount ?? 0 };
    },
  };
  for (;;) {
    try {
      await client.query("begin; set local lock_timeout = '2s'");
      const applied = await migrate(connection, postgresEngine, migrations);
      await client.query('commit');
      return applied;
    } catch (error) {
      await client.query('rollback');
      if (!['55P03', '40P01'].includes((error as { code: string }).code)) throw error;
    }
  }
}

test('nodes keep serving without an error during and after the migration of a later version', async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(2);
  const [first] = nodes;
  const { id: software } = await first.software();
  const { id: generator } = await first.generator();
  let rounds = 0;
  let isOver = false;
  t.after(() => {
    isOver = true;
  });
  // Enough concurrent clients that every connection prepares statements.
  const clients = nodes.flatMap((node) =>
    Array.from({ length: 6 }, async () => {
      for (; !isOver; rounds++) await everyRoute(node, software, generator);
    }),
  );
  const work = Promise.all(clients);
  const reach = async (count: number) => {
    while (rounds < count) await Promise.race([work, setTimeout(20)]);
  };
  await reach(24);
  assert.deepEqual(await migrateTo(t, cluster.database, [...MIGRATIONS, later]), ['9999-later']);
  await reach(rounds + 24);
  isOver = true;
  await work;

  for (const node of nodes) {
    assert.equal((await fetch(`${node.origin}/readyz`)).status, 200);
    assert.doesNotMatch(node.output(), /the request failed/);
  }
  // A node of the earlier version can even start, and it changes nothing.
  const restarted = await cluster.node();
  await everyRoute(restarted, software, generator);
  const names = 'select count(*)::int from schema_migrations';
  assert.equal(await single(server, cluster.database, names), MIGRATIONS.length + 1);
});
