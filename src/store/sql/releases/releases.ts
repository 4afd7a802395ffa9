import { sql } from 'kysely';
import { camelCased } from '../../../domain/names.ts';
import { CHANNELS, type Channel, type Release, type ReleaseFile } from '../../../domain/releases/release.ts';
import { versionOrder } from '../../../domain/releases/version.ts';
import { RELEASES_AT_ONCE, type ReleaseRow, SHORT_CHANGELOG, type Transaction } from '../../store.ts';
import { MOST } from '../licenses/bounded-scan.ts';
import { countRows, first, type RowOf, recordQueries } from '../record.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

const ARTIFACT_COLUMNS = [
  'artifacts.size as file_size',
  'artifacts.sha256 as file_sha256',
  'artifacts.sha512 as file_sha512',
  'artifacts.storage_key as file_key',
] as const;
/** All but the changelog, which may be long. */
const COLUMNS = [
  ...([
    'releases.id',
    'software_id',
    'version',
    'version_order',
    'channel',
    'status',
    'yank_reason',
  ] as const),
  ...(['upgrade_notice', 'rollout', 'artifact_id', 'file_name', 'file_type', 'published_at'] as const),
  ...(['releases.created_at', 'created_by', 'updated_at', 'updated_by'] as const),
] as const;
const CHANGELOG_BYTES = sql<number>`coalesce(octet_length(changelog), 0)`;
const changelogUpTo = (bytes: number) =>
  sql<string | null>`case when octet_length(changelog) <= ${sql.lit(bytes)} then changelog end`;
type Row = RowOf<'releases'> & { file_size: number | null } & {
  [Name in 'file_sha256' | 'file_sha512' | 'file_key']: string | null;
};

function toRelease(row: Row): Release {
  const { version_order: _, artifact_id, ...columns } = row;
  const { fileName, fileType, fileSize, fileSha256, fileSha512, fileKey, ...own } = camelCased(columns);
  const file = {
    name: fileName,
    type: fileType,
    size: fileSize,
    key: fileKey,
    sha256: fileSha256,
    sha512: fileSha512,
  } as ReleaseFile;
  return {
    ...own,
    // An earlier version does not know this column, and does not clear it when it publishes the release again.
    yankReason: own.status === 'yanked' ? own.yankReason : null,
    file: artifact_id === null ? null : file,
  };
}

const orderOf = (version: string): Uint8Array => Buffer.from(versionOrder(version) ?? '', 'latin1');

/** Sorts after the order of every version, which is ASCII. */
const ABOVE_ALL = Uint8Array.of(0xff);

const toColumns = (row: Partial<ReleaseRow>) =>
  row.version === undefined ? row : { ...row, versionOrder: orderOf(row.version) };

export function releaseQueries(db: Database) {
  const withFiles = () =>
    db
      .selectFrom('releases')
      .leftJoin('artifacts', 'artifacts.id', 'releases.artifact_id')
      .select(ARTIFACT_COLUMNS);
  const select = () => withFiles().selectAll('releases');
  const byId = prepare((p: { id: number }) => select().where('releases.id', '=', p.id));
  const byVersion = prepare((p: { softwareId: number; order: Uint8Array }) =>
    select().where('software_id', '=', p.softwareId).where('version_order', '=', p.order),
  );
  const ofAny = (softwareId: number) => db.selectFrom('releases').where('software_id', '=', softwareId);
  const highest = (query: ReturnType<typeof select>, limit: number) =>
    query.orderBy('version_order', 'desc').limit(limit);
  const published = prepare((p: { softwareId: number } & Record<`channel${number}`, Channel>) => {
    const channels = CHANNELS.map((_, i) => p[`channel${i}`] as Channel);
    return withFiles()
      .select(COLUMNS)
      .select([changelogUpTo(SHORT_CHANGELOG).as('changelog'), CHANGELOG_BYTES.as('changelog_bytes')])
      .where('software_id', '=', p.softwareId)
      .where('status', '=', 'published')
      .where('channel', 'in', channels)
      .orderBy('version_order', 'desc')
      .limit(RELEASES_AT_ONCE);
  });
  const releases = recordQueries(db, 'releases');

  return (connection: Connection): Transaction['releases'] => ({
    find: async (id) => first((await byId(connection, { id })).rows, toRelease),
    findByVersion: async (softwareId, version) =>
      first((await byVersion(connection, { softwareId, order: orderOf(version) })).rows, toRelease),
    async list(softwareId, { offset, limit }) {
      const total = await countRows(connection, ofAny(softwareId));
      const page = highest(select().where('software_id', '=', softwareId), limit).offset(offset);
      const { rows } = await execute(connection, page);
      return { items: rows.map(toRelease), total };
    },
    async search(softwareId, { channel, before, limit }) {
      let query = select().where('software_id', '=', softwareId);
      let all = ofAny(softwareId).select('id');
      if (channel !== null) {
        query = query.where('channel', '=', channel);
        all = all.where('channel', '=', channel);
      }
      query = query.where('version_order', '<', before === null ? ABOVE_ALL : orderOf(before));
      // One more than the page holds shows whether there is a next page.
      const { rows } = await execute(connection, highest(query, limit + 1));
      const items = rows.slice(0, limit).map(toRelease);
      const next = rows.length > limit ? (items.at(-1)?.version ?? null) : null;
      const isOnlyPage = before === null && next === null;
      const some = db.selectFrom(all.limit(MOST + 1).as('some'));
      const counted = isOnlyPage ? items.length : await countRows(connection, some);
      return { items, next, total: Math.min(counted, MOST), totalIsMore: counted > MOST };
    },
    async published(softwareId, channels) {
      // The number of values is fixed, so that one prepared query serves all.
      const values = CHANNELS.map((_, i) => [`channel${i}`, channels[i] ?? channels[0]]);
      const { rows } = await published(connection, { softwareId, ...Object.fromEntries(values) });
      return rows.map(({ changelog_bytes, ...row }) => ({
        ...toRelease(row),
        changelogBytes: changelog_bytes,
      }));
    },
    async withFile() {
      const query = db
        .selectFrom('releases')
        .innerJoin('software', 'software.id', 'releases.software_id')
        .select(['software.slug as software', 'version', 'artifact_id as artifactId'])
        .where('artifact_id', 'is not', null)
        .orderBy('software_id')
        .orderBy('version_order');
      return (await execute(connection, query.$narrowType<{ artifactId: number }>())).rows;
    },
    insert: (row) => releases.insert(connection, toColumns(row)),
    update: (id, changes) => releases.update(connection, id, toColumns(changes)),
    delete: (id) => releases.delete(connection, id),
  });
}
