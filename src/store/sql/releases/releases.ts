import type { Kysely, Selectable } from 'kysely';
import type { Channel, Release, ReleaseStatus } from '../../../domain/release.ts';
import { CHANNELS } from '../../../domain/release.ts';
import { versionOrder } from '../../../domain/version.ts';
import { RELEASES_AT_ONCE, type ReleaseRow, type Transaction } from '../../store.ts';
import { MOST } from '../licenses/bounded-scan.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

const ARTIFACT_COLUMNS = [
  'artifacts.size as file_size',
  'artifacts.sha256 as file_sha256',
  'artifacts.sha512 as file_sha512',
  'artifacts.storage_key as file_key',
] as const;
type Row = Selectable<Schema['releases']> & {
  file_size: number | null;
  file_sha256: string | null;
  file_sha512: string | null;
  file_key: string | null;
};

const toRelease = (row: Row): Release => ({
  id: row.id,
  softwareId: row.software_id,
  version: row.version,
  channel: row.channel as Channel,
  status: row.status as ReleaseStatus,
  changelog: row.changelog,
  upgradeNotice: row.upgrade_notice,
  // A server of an earlier version knows nothing of it, and leaves it where it publishes the release again.
  yankReason: row.status === 'yanked' ? row.yank_reason : null,
  rollout: row.rollout,
  file:
    row.artifact_id === null
      ? null
      : {
          name: row.file_name as string,
          type: row.file_type as string,
          size: row.file_size as number,
          sha256: row.file_sha256 as string,
          sha512: row.file_sha512 as string,
          key: row.file_key as string,
        },
  publishedAt: row.published_at,
  createdAt: row.created_at,
  createdBy: row.created_by,
  updatedAt: row.updated_at,
  updatedBy: row.updated_by,
});

const orderOf = (version: string): Uint8Array => Buffer.from(versionOrder(version) ?? '', 'latin1');

/** Above the order of every version, which is ASCII. */
const ABOVE_ALL = Uint8Array.of(0xff);

/** Kysely leaves out what is undefined. */
const toColumns = (row: Partial<ReleaseRow & Pick<Release, 'updatedAt' | 'updatedBy'>>) => ({
  software_id: row.softwareId,
  version: row.version,
  version_order: row.version === undefined ? undefined : orderOf(row.version),
  channel: row.channel,
  status: row.status,
  changelog: row.changelog,
  upgrade_notice: row.upgradeNotice,
  yank_reason: row.yankReason,
  rollout: row.rollout,
  artifact_id: row.artifactId,
  file_name: row.fileName,
  file_type: row.fileType,
  published_at: row.publishedAt,
  created_at: row.createdAt,
  created_by: row.createdBy,
  updated_at: row.updatedAt,
  updated_by: row.updatedBy,
});

export function releaseQueries(db: Kysely<Schema>) {
  const select = () =>
    db
      .selectFrom('releases')
      .leftJoin('artifacts', 'artifacts.id', 'releases.artifact_id')
      .select(ARTIFACT_COLUMNS)
      .selectAll('releases');
  const byId = prepare((p: { id: number }) => select().where('releases.id', '=', p.id));
  const byVersion = prepare((p: { softwareId: number; order: Uint8Array }) =>
    select().where('software_id', '=', p.softwareId).where('version_order', '=', p.order),
  );
  const ofSoftware = prepare((p: { softwareId: number; limit: number; offset: number }) =>
    select()
      .where('software_id', '=', p.softwareId)
      .orderBy('version_order', 'desc')
      .limit(p.limit)
      .offset(p.offset),
  );
  const count = prepare((p: { softwareId: number }) =>
    db
      .selectFrom('releases')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('software_id', '=', p.softwareId),
  );
  type InChannel = { softwareId: number; channel: string };
  const searching = (ofOneChannel: boolean) => ({
    /** With the first of the page behind it, which tells that there is one. */
    page: prepare((p: InChannel & { before: Uint8Array; rows: number }) =>
      select()
        .where('software_id', '=', p.softwareId)
        .$if(ofOneChannel, (query) => query.where('channel', '=', p.channel))
        .where('version_order', '<', p.before)
        .orderBy('version_order', 'desc')
        .limit(p.rows),
    ),
    count: prepare((p: InChannel) =>
      db
        .selectFrom(
          db
            .selectFrom('releases')
            .select('id')
            .where('software_id', '=', p.softwareId)
            .$if(ofOneChannel, (query) => query.where('channel', '=', p.channel))
            .limit(MOST + 1)
            .as('some'),
        )
        .select((eb) => eb.fn.countAll<number>().as('total')),
    ),
  });
  const [inOne, inAll] = [searching(true), searching(false)];
  const published = prepare((p: { softwareId: number } & Record<`channel${number}`, string>) =>
    select()
      .where('software_id', '=', p.softwareId)
      .where('status', '=', 'published')
      .where(
        'channel',
        'in',
        CHANNELS.map((_, i) => p[`channel${i}`] as string),
      )
      .orderBy('version_order', 'desc')
      .limit(RELEASES_AT_ONCE),
  );
  const withFile = prepare(() =>
    db
      .selectFrom('releases')
      .innerJoin('software', 'software.id', 'releases.software_id')
      .select(['software.slug as software', 'version', 'artifact_id as artifactId'])
      .where('artifact_id', 'is not', null)
      .orderBy('software_id')
      .orderBy('version_order')
      .$narrowType<{ artifactId: number }>(),
  );
  const remove = prepare((p: { id: number }) => db.deleteFrom('releases').where('id', '=', p.id));
  const first = (rows: Row[]): Release | null => (rows[0] ? toRelease(rows[0]) : null);

  return (connection: Connection): Transaction['releases'] => ({
    find: async (id) => first((await byId(connection, { id })).rows),
    findByVersion: async (softwareId, version) =>
      first((await byVersion(connection, { softwareId, order: orderOf(version) })).rows),
    async list(softwareId, { offset, limit }) {
      const total = (await count(connection, { softwareId })).rows[0]?.total ?? 0;
      const { rows } = await ofSoftware(connection, { softwareId, offset, limit });
      return { items: rows.map(toRelease), total };
    },
    async search(softwareId, { channel, before, limit }) {
      const of = channel === null ? inAll : inOne;
      const values = { softwareId, channel: channel ?? '' };
      const { rows } = await of.page(connection, {
        ...values,
        before: before === null ? ABOVE_ALL : orderOf(before),
        rows: limit + 1,
      });
      const items = rows.slice(0, limit).map(toRelease);
      const next = rows.length > limit ? (items.at(-1)?.version ?? null) : null;
      // The first and only page is all there is.
      const isAll = before === null && next === null;
      const counted = isAll ? items.length : ((await of.count(connection, values)).rows[0]?.total ?? 0);
      return { items, next, total: Math.min(counted, MOST), totalIsMore: counted > MOST };
    },
    async published(softwareId, channels) {
      // A fixed number of values, so that the query is prepared once.
      const values = CHANNELS.map((_, i) => [`channel${i}`, channels[i] ?? channels[0]]);
      const { rows } = await published(connection, { softwareId, ...Object.fromEntries(values) });
      return rows.map(toRelease);
    },
    withFile: async () => (await withFile(connection, {})).rows,
    async insert(row) {
      const query = db
        .insertInto('releases')
        .values(toColumns(row) as never)
        .returning('id');
      return (await execute(connection, query)).rows[0]?.id as number;
    },
    async update(id, changes) {
      const query = db
        .updateTable('releases')
        .set(toColumns(changes) as never)
        .where('id', '=', id);
      await execute(connection, query);
    },
    async delete(id) {
      await remove(connection, { id });
    },
  });
}
