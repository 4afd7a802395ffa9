import { createHash } from 'node:crypto';
import { recordedValues } from '../domain/audit.ts';
import type { Expected, Reads, Transaction } from '../store/store.ts';

type Kind = Expected['kind'];

/**
 * Returns the version of a record. It differs after each change that the audit trail would record. The version is a hash
 * rather than a column, so that no write has to maintain it.
 */
export function etagOf(kind: Kind, record: object, { hashOf }: Pick<Reads['licenses'], 'hashOf'>): string {
  // Use the keyed hash of the license key: users who see masked keys could find a short key from an unkeyed hash.
  const hidden = 'key' in record ? { ...record, key: hashOf(String(record.key)) } : record;
  const values = kind === 'license_notes' ? Object.values(record) : recordedValues(kind, hidden);
  const text = JSON.stringify(values);
  return createHash('sha256').update(text).digest('base64url').slice(0, ETAG_LENGTH);
}
/** Characters of base64url: 132 bits. */
const ETAG_LENGTH = 22;

const FINDS: { [K in Kind]: (transaction: Transaction, id: number) => Promise<object | null> } = {
  api_key: ({ apiKeys }, id) => apiKeys.find(id),
  event_endpoint: ({ endpoints }, id) => endpoints.find(id),
  generator: ({ generators }, id) => generators.find(id),
  // Locked: `update-license` is guarded, so its update could follow another one that the version does not show.
  async license({ licenses }, id) {
    await licenses.lock([id]);
    return licenses.find({ id });
  },
  license_notes: ({ notes }, id) => notes.one(id),
  release: ({ releases }, id) => releases.find(id),
  software: ({ software }, id) => software.find(id),
  user: ({ users }, id) => users.find(id),
};

/** Whether the record exists and its version differs from the expected one. */
export async function isChanged(transaction: Transaction, { kind, id, etag }: Expected): Promise<boolean> {
  const record = await FINDS[kind](transaction, id);
  return record !== null && etagOf(kind, record, transaction.licenses) !== etag;
}
