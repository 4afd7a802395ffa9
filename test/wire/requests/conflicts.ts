import type { People } from './console-people.ts';
import type { Wire } from './wire.ts';

/** Creates records that already exist. Runs last, because PostgreSQL does not reuse the ids of refused records. */
export async function conflictRequests({ group, api }: Wire, { owner: { call } }: People): Promise<void> {
  group('conflicts');
  const license = { license_key: 'WIRE-0001', valid_for: 0, status: 1, activations_limit: 0 };
  const file = ['file', ['a.zip', 'application/zip', 'again']] as const;
  await api('POST /licenses', { json: license });
  await api('POST /software', { json: { name: 'Again', slug: 'editor' } });
  await api('POST /software', { json: { name: 'Editor' } });
  await api('POST /software/1/releases', { multipart: [['version', '1.0'], file] });
  await api('POST /software/1/releases', { multipart: [file, ['version', '1.0.0']] });
  group('console-conflicts');
  await call('POST /licenses', { json: license });
  await call('POST /software', { json: { name: 'Editor' } });
  await call('POST /software/1/releases', { multipart: [['version', '1.0'], file] });
  await call('POST /users', { json: { name: 'X', email: 'OWNER@example.test', role: 'viewer' } });
}
