import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyAudit } from '../../src/app/audit/audit-chain.ts';
import { everyRoute } from '../support/http/every-route.ts';
import { createCluster, serverOfFile, single, until } from '../support/postgres/cluster.ts';

const server = await serverOfFile();

test('two nodes that change the same records concurrently write one audit chain, with each change once', async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(2);
  const [first] = nodes;
  const { id: software } = await first.software();
  const { id: generator } = await first.generator();
  const rounds = 8;
  await Promise.all(
    nodes.flatMap((node) =>
      Array.from({ length: 4 }, async () => {
        for (let i = 0; i < rounds; i++) await everyRoute(node, software, generator);
      }),
    ),
  );
  const count = (sql: string) => single(server, cluster.database, `select count(*)::int from ${sql}`);
  await until('every entry is in the chain', async () => {
    const [entries, places] = [await count('audit_entries'), await count('audit_chain')];
    return entries === places;
  });
  const created = "audit_entries where action = 'license.create'";
  assert.equal(await count(created), 8 * rounds);
  assert.equal(await count("audit_entries where action = 'license.delete'"), 8 * rounds);
  assert.equal(await count("audit_entries where action = 'license.generate'"), 8 * rounds);
  const service = await cluster.service();
  const { faults, checked, head } = await verifyAudit(service);
  assert.deepEqual(faults, []);
  assert.equal(checked, await count('audit_entries'));
  assert.equal(head?.position, checked);
  for (const node of nodes) assert.doesNotMatch(node.output(), /failed/);
});
