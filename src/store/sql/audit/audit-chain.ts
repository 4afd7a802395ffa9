import { sql } from 'kysely';
import { type AuditHead, auditHead, headText } from '../../../domain/audit.ts';
import type { AuditRange, AuditReads, AuditWrites } from '../../audit/audit.ts';
import type { Keyring } from '../../keys/keyring.ts';
import { metaOf } from '../meta.ts';
import { type RowOf, rowsQuery } from '../record.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

type Entry = RowOf<'audit_entries'>;

/** The row of `meta` that holds the end of the chain: `position:hash:mac`. */
const HEAD = 'audit_head';

type Chain = Pick<
  AuditReads & AuditWrites,
  'links' | 'linkHash' | 'head' | 'last' | 'lastChained' | 'unchained' | 'copies' | 'lock' | 'append'
>;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export function auditChainQueries(db: Database, keyring: Keyring, isGenuine: (entry: Entry) => boolean) {
  const headMac = (head: AuditHead) => hex(keyring.mac(JSON.stringify(['head', head.position, head.hash])));
  const links = prepare((p: { after: number; limit: number }) =>
    db
      .selectFrom('audit_chain')
      .leftJoin('audit_entries', 'audit_entries.id', 'audit_chain.entry_id')
      .select(['position', 'entry_id', 'hash'])
      .selectAll('audit_entries')
      .where('position', '>', p.after)
      .orderBy('position')
      .limit(p.limit),
  );
  const unchained = prepare((p: AuditRange) =>
    db
      .selectFrom('audit_entries')
      .select(['id', 'at', 'mac'])
      .where('id', '>', p.above)
      .where('id', '<=', p.upTo)
      .where(({ not, exists, selectFrom }) => {
        const places = selectFrom('audit_chain').select('position');
        return not(exists(places.whereRef('audit_chain.entry_id', '=', 'audit_entries.id')));
      })
      .orderBy('id')
      .limit(p.limit),
  );
  const insertLinks = rowsQuery(db, 'audit_chain', ['position', 'entry_id', 'hash']);

  return (connection: Connection): Chain => ({
    async links(after, limit) {
      const { rows } = await links(connection, { after, limit });
      return rows.map((row) => ({
        position: row.position,
        entryId: row.entry_id,
        hash: hex(row.hash),
        mac: row.mac && hex(row.mac),
        isGenuine: row.mac !== null && isGenuine(row as Entry),
      }));
    },
    linkHash: (previous, position, entryId, mac) =>
      hex(keyring.mac(JSON.stringify(['link', previous, position, entryId, mac]))),
    async head() {
      const kept = (await metaOf(connection, db, [HEAD])).get(HEAD);
      if (kept === undefined) return null;
      const [position = '', hash = '', mac] = kept.split(':');
      const read = auditHead.read(`${position}:${hash}`);
      if (!read.ok) return { position: 0, hash: '', isGenuine: false };
      return { ...read.value, isGenuine: mac === headMac(read.value) };
    },
    async last() {
      const places = db.selectFrom('audit_chain').select(['position', 'hash']).orderBy('position', 'desc');
      const [row] = (await execute(connection, places.limit(1))).rows;
      return row ? { position: row.position, hash: hex(row.hash) } : null;
    },
    async lastChained() {
      const ids = db.selectFrom('audit_chain').select('entry_id').orderBy('entry_id', 'desc').limit(1);
      return (await execute(connection, ids)).rows[0]?.entry_id ?? 0;
    },
    async unchained(range) {
      const { rows } = await unchained(connection, range);
      return rows.map(({ id, at, mac }) => ({ id, at, mac: hex(mac) }));
    },
    async copies(limit) {
      const ids = db.selectFrom('audit_entries').select((eb) => eb.fn.max('id').as('id'));
      const query = ids.groupBy('mac').having(sql<boolean>`count(*) > 1`).limit(limit);
      return (await execute(connection, query)).rows.map(({ id }) => id);
    },
    // SQLite has one writer at a time.
    lock: async () => {},
    async append(added) {
      const end = added.at(-1);
      if (!end) return;
      const rows = added.map(({ position, entryId, hash }) => [position, entryId, Buffer.from(hash, 'hex')]);
      await insertLinks(connection, rows);
      const head = { name: HEAD, value: `${headText(end)}:${headMac(end)}` };
      const insert = db.insertInto('meta').values(head);
      const keep = insert.onConflict((c) => c.column('name').doUpdateSet({ value: head.value }));
      await execute(connection, keep);
    },
  });
}
