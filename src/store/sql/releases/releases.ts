import type { Kysely } from 'kysely';
import { camelCased } from '../../../domain/names.ts';
import type { Channel, Release } from '../../../domain/release.ts';
import { CHANNELS } from '../../../domain/release.ts';
import { versionOrder } from '../../../domain/version.ts';
import { RELEASES_AT_ONCE, type ReleaseRow, type Transaction } from '../../store.ts';
import { MOST } from '../licenses/bounded-scan.ts';
import { first, type RowOf, recordQueries } from '../record.ts';
import type { Schema } from '../schema.ts';
import { type Connection, prepare } from '../statement.ts';

const ARTIFACT_COLUMNS = [
  'artifacts.size as file_size',
  'artifacts.sha256 as file_sha256',
  'artifacts.sha512 as file_sha512',
  'artifacts.storage_key as file_key',
] as const;
type Row = RowOf<'releases'> & {
  file_size: number | null;
  file_sha256: string | null;
  file_sha512: string | null;
  file_key: string | null;
};

function toRelease(row: Row): Release {
  const {
    version_order,
    artifact_id,
    file_name,
    file_type,
    file_size,
    file_sha256,
    file_sha512,
    file_key,
    ...own
  } = row;
  const file = {
    name: file_name as string,
    type: file_type as string,
    size: file_size as number,
    sha256: file_sha256 as string,
    sha512: file_sha512 as string,
    key: file_key as string,
  };
  return {
    ...camelCased(own),
    // A server of an earlier version does not know this column and leaves it when it publishes the release again.
    yankReason: own.status === 'yanked' ? own.yank_reason : null,
    file: artifact_id === null ? null : file,
  };
}

const orderOf = (version: string): Uint8Array => Buffer.from(versionOrder(version) ?? '', 'latin1');

/** Above the order of every version, which is ASCII. */
const ABOVE_ALL = Uint8Array.of(0xff);

const toColumns = (row: Partial<ReleaseRow>) =>
  row.version === undefined ? row : { ...row, versionOrder: orderOf(row.version) };

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
  type InChannel = { softwareId: number; channel: Channel };
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
  const published = prepare((p: { softwareId: number } & Record<`channel${number}`, Channel>) =>
    select()
      .where('software_id', '=', p.softwareId)
      .where('status', '=', 'published')
      .where(
        'channel',
        'in',
        CHANNELS.map((_, i) => p[`channel${i}`] as Channel),
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
  const releases = recordQueries(db, 'releases');

  return (connection: Connection): Transaction['releases'] => ({
    find: async (id) => first((await byId(connection, { id })).rows, toRelease),
    findByVersion: async (softwareId, version) =>
      first((await byVersion(connection, { softwareId, order: orderOf(version) })).rows, toRelease),
    async list(softwareId, { offset, limit }) {
      const total = (await count(connection, { softwareId })).rows[0]?.total ?? 0;
      const { rows } = await ofSoftware(connection, { softwareId, offset, limit });
      return { items: rows.map(toRelease), total };
    },
    async search(softwareId, { channel, before, limit }) {
      const of = channel === null ? inAll : inOne;
      const values = { softwareId, channel: channel ?? 'stable' };
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
    insert: (row) => releases.insert(connection, toColumns(row)),
    update: (id, changes) => releases.update(connection, id, toColumns(changes)),
    delete: (id) => releases.delete(connection, id),
  });
}
