import { randomUUID } from 'node:crypto';
import type { AuditDetails, AuditEntry, Usage, UsageFilter } from '../../../domain/audit.ts';
import { camelCased } from '../../../domain/names.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { AuditRow, Transaction } from '../../store.ts';
import { addingQuery, asciiJson, countRows, first, type RowOf, rowsQuery } from '../record.ts';
import { type Connection, type Database, execute } from '../statement.ts';
import { auditChainQueries } from './audit-chain.ts';

type Columns = RowOf<'audit_entries'>;

/** A random nonce precedes the HMAC, so that no two entries have the same HMAC and a copied entry is detected. */
const NONCE_BYTES = 8;
/** The second half of a random UUID: 10 µs less than random bytes, because the runtime draws many UUIDs at once. */
const randomNonce = (): Buffer => Buffer.from(randomUUID().replaceAll('-', ''), 'hex').subarray(-NONCE_BYTES);

const toEntry = ({ subject_type, subject_id, details, mac: _, ...row }: Columns): AuditEntry => ({
  ...camelCased(row),
  subject: { type: subject_type as AuditEntry['subject']['type'], id: subject_id },
  details: detailsIn(details),
});

/** An entry that somebody has made unreadable must not prevent reading the others. */
function detailsIn(text: string): AuditDetails {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null) return read;
  } catch {}
  return { about: { unreadable: true } };
}

/** The columns that the HMAC of an entry covers, in its order. */
const COVERED = [
  ...['at', 'action', 'user_id', 'via', 'api_key_id', 'origin', 'subject_type', 'subject_id', 'details'],
] as const satisfies readonly (keyof Columns)[];

/** The nonce and HMAC of an entry. @param values of the columns that the HMAC covers */
function macOf(values: readonly unknown[], nonce: Buffer, keyring: Keyring): Buffer {
  return Buffer.concat([nonce, keyring.mac(JSON.stringify(['entry', nonce.toString('hex'), ...values]))]);
}

export function isGenuine(row: Columns, keyring: Keyring): boolean {
  const mac = Buffer.from(row.mac);
  const values = COVERED.map((name) => row[name]);
  return macOf(values, mac.subarray(0, NONCE_BYTES), keyring).equals(mac);
}

export function auditQueries(db: Database, keyring: Keyring) {
  const chain = auditChainQueries(db, keyring, (row) => isGenuine(row, keyring));
  const insert = rowsQuery(db, 'audit_entries', [...COVERED, 'mac'], { last: true });
  const count = addingQuery(db, 'usage_counts', ['day', 'counted'], ['count']);
  const rowOf = (entry: AuditRow) => {
    const { at, action, userId, via, apiKeyId, origin, subject, details } = entry;
    const values = [at, action, userId, via, apiKeyId, origin, subject.type, subject.id, asciiJson(details)];
    return [...values, macOf(values, randomNonce(), keyring)];
  };
  const counted = ({ from, to }: UsageFilter) => {
    let query = db.selectFrom('usage_counts');
    if (from !== null) query = query.where('day', '>=', from);
    if (to !== null) query = query.where('day', '<=', to);
    return query;
  };

  return (connection: Connection): Transaction['audit'] => ({
    ...chain(connection),
    async list({ action, subject, licenseIds, apiKeyId, userId, via, from, to }, { above, upTo, limit }) {
      let query = db.selectFrom('audit_entries').selectAll();
      if (action) query = query.where('action', 'in', action);
      if (subject)
        query = query.where('subject_type', '=', subject.type).where('subject_id', '=', subject.id);
      if (licenseIds)
        query = query.where('subject_type', '=', 'license').where('subject_id', 'in', licenseIds);
      if (apiKeyId !== null) query = query.where('api_key_id', '=', apiKeyId);
      if (userId !== null) query = query.where('user_id', '=', userId);
      if (via) query = query.where('via', '=', via);
      if (from !== null) query = query.where('at', '>=', from);
      if (to !== null) query = query.where('at', '<=', to);
      query = query.where('id', '>', above).where('id', '<=', upTo).orderBy('id', 'desc').limit(limit);
      return (await execute(connection, query)).rows.map(toEntry);
    },
    async find(id) {
      const query = db.selectFrom('audit_entries').selectAll().where('id', '=', id);
      return first((await execute(connection, query)).rows, toEntry);
    },
    async timeAt(id) {
      const query = db.selectFrom('audit_entries').select(['id', 'at']).where('id', '<=', id);
      return (await execute(connection, query.orderBy('id', 'desc').limit(1))).rows[0] ?? null;
    },
    async counts(filter, { offset, limit }) {
      const total = await countRows(connection, counted(filter));
      const query = counted(filter).selectAll().orderBy('day', 'desc').orderBy('counted');
      const { rows } = await execute(connection, query.limit(limit).offset(offset));
      return { items: rows.map((row) => ({ ...row, counted: row.counted as Usage })), total };
    },
    insert: (rows) => insert(connection, rows.map(rowOf)),
    async count(counts) {
      for (const one of counts) await count(connection, one);
    },
  });
}
