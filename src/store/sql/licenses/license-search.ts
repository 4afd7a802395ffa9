import { type Kysely, sql } from 'kysely';
import { licenseRef } from '../../../domain/license.ts';
import {
  endingOf,
  endsWith,
  type LicenseSearch,
  type LicenseTerm,
  type Term,
} from '../../../domain/license-search.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { FoundLicenses, SearchPage } from '../../store.ts';
import { totalQuery } from '../reports/record-counts.ts';
import { LICENSE_COLUMNS, toLicenses } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute } from '../statement.ts';
import { type Condition, type Counted, MOST, type Walk, walker } from './bounded-scan.ts';
import { hashOfRef } from './key-hashes.ts';
import { hashOfEnding } from './key-suffix.ts';

/** A column of text with A to Z as a to z, in the order of its bytes. */
export type Lowered = (column: string) => ReturnType<typeof sql<string>>;

/** Keys that are opened for one search by more than their last characters of the index. */
const OPENED = 2_000;
/** What no text goes on with that begins with another. */
const HIGHEST = '\u{10ffff}';

/** How labels that begin with some characters are found. */
export function labelBegins(lowered: Lowered, prefix: string): Condition {
  const low = prefix.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const label = lowered('activations.label');
  return sql<boolean>`${label} >= ${low} and ${label} < ${low + HIGHEST}`;
}

/** Columns that conditions name beside that which an index answers. */
const COLUMNS = ['status', 'order_id', 'product_id', 'user_id', 'source', 'expires_at'];

export function licenseSearchOf(db: Kysely<Schema>, keyring: Keyring, lowered: Lowered) {
  const { ids: idsOf, count, run } = walker(db);
  const total = totalQuery(db, 'licenses');
  const walkBy = (by: Walk['by'], others: readonly Condition[]): Walk => ({
    ...{ table: 'licenses', by, columns: others.length > 0 ? COLUMNS : [], others },
  });
  const idsBy = (condition: Condition) => ({
    ids: sql<{ id: number }>`select id from licenses where ${condition} limit ${MOST + 1}`,
  });

  /** What an index has in the order of ids, the most telling first. */
  const conditionsOf = ({ orderId, userId, productId, status, source, expiry }: LicenseSearch) => {
    const ordered: Condition[] = [];
    if (orderId !== undefined) ordered.push(sql<boolean>`licenses.order_id = ${orderId}`);
    if (userId !== undefined) ordered.push(sql<boolean>`licenses.user_id = ${userId}`);
    if (productId !== undefined) ordered.push(sql<boolean>`licenses.product_id = ${productId}`);
    if (expiry === 'never') ordered.push(sql<boolean>`licenses.expires_at is null`);
    if (status?.length === 1) ordered.push(sql<boolean>`licenses.status = ${status[0]}`);
    if (source !== undefined) ordered.push(sql<boolean>`licenses.source = ${source}`);
    const others: Condition[] = [];
    if (status && status.length !== 1)
      others.push(status.length === 0 ? sql`1 = 0` : sql`licenses.status in (${sql.join(status)})`);
    return { ordered, others, range: expiry === 'never' ? null : rangeOf(expiry) };
  };

  /** What is looked through for all but terms: by the index that leads to the fewest, one walk for each status. */
  const walksOfFilter = async (connection: Connection, filter: LicenseSearch): Promise<Walk[]> => {
    const { ordered, others, range } = conditionsOf(filter);
    if (filter.ids) {
      // Asked of each, so that those that are gone are not counted.
      const there = sql<boolean>`licenses.id > 0`;
      return [walkBy({ ids: filter.ids }, [there, ...ordered, ...others, ...(range ? [range] : [])])];
    }
    if (range) {
      const counted = await count(connection, walkBy(idsBy(range), []));
      if (!counted.isMore) return [walkBy(idsBy(range), [...ordered, ...others])];
      // So many that the newest are found by going down the ids.
      if (ordered.length + others.length === 0) return [{ ...walkBy(null, [range]), counted }];
      others.push(range);
    }
    if (ordered.length === 0 && filter.status && filter.status.length > 1) {
      const rest = others.filter((one) => one === range);
      return filter.status.map((status) => walkBy(sql<boolean>`licenses.status = ${status}`, rest));
    }
    if (ordered.length < 2) return [walkBy(ordered[0] ?? null, others)];
    const totals = await Promise.all(ordered.map((by) => count(connection, walkBy(by, []))));
    const fewest = totals.reduce((best, one, i) => (one.total < (totals[best]?.total ?? 0) ? i : best), 0);
    return [walkBy(ordered[fewest] ?? null, [...ordered.filter((_, i) => i !== fewest), ...others])];
  };

  const walkOfTerm = async (
    connection: Connection,
    term: LicenseTerm,
    others: readonly Condition[],
  ): Promise<Walk | null> => {
    /** @param ofEach the same, said so that no index is led by it */
    const ofActivations = async (condition: Condition, ofEach = condition): Promise<Walk> => {
      const ids = sql<{ id: number }>`
        select license_id as id from activations where ${condition} limit ${MOST + 1}`;
      const rows = await run(connection, ids);
      if (rows.length <= MOST) return walkBy({ ids: rows.map(({ id }) => id) }, others);
      // So many that it is asked of one license after the other. What ends in an offset PostgreSQL makes no join of, which
      // would go through all activations for each window.
      return walkBy(null, [
        sql`exists (
          select 1 from activations where activations.license_id = licenses.id and ${ofEach} limit 1 offset 0)`,
        ...others,
      ]);
    };
    switch (term.by) {
      case 'key': {
        const hash = hashOfRef(licenseRef(term.named), keyring);
        return hash && walkBy(idsBy(sql`key_hash = ${hash}`), others);
      }
      case 'ending': {
        const hash = hashOfEnding(endingOf(term.ending) ?? '', keyring);
        const by = sql<boolean>`licenses.ending_hash = ${hash}`;
        if ([...term.ending.toUpperCase()].length === [...(endingOf(term.ending) ?? '')].length)
          return walkBy(by, others);
        const rows = await run(
          connection,
          sql<{ id: number; sealed_key: Uint8Array }>`
            select id, sealed_key from licenses where ${by} order by id desc limit ${OPENED + 1}`,
        );
        const isCut = rows.length > OPENED;
        const candidates = rows.slice(0, OPENED);
        const keys = keyring.openAll(candidates.map((row) => row.sealed_key));
        const ids = candidates.filter((_, i) => endsWith(keys[i] as string, term.ending)).map(({ id }) => id);
        return { ...walkBy({ ids }, others), isCut };
      }
      case 'order':
        return walkBy(sql<boolean>`licenses.order_id = ${term.id}`, others);
      case 'product':
        return walkBy(sql<boolean>`licenses.product_id = ${term.id}`, others);
      case 'customer':
        return walkBy(sql<boolean>`licenses.user_id = ${term.id}`, others);
      case 'label':
        return ofActivations(labelBegins(lowered, term.prefix));
      case 'address': {
        const address = sql<boolean>`ip_address = ${term.address}`;
        return ofActivations(address, sql<boolean>`ip_address || '' = ${term.address}`);
      }
    }
  };

  /** The walks of a search, each with what it has found: of a whole key that there is, that alone. */
  const walksOf = async (connection: Connection, filter: LicenseSearch) => {
    const { terms } = filter;
    if (!terms) return (await walksOfFilter(connection, filter)).map((walk) => ({ by: null, walk }));
    const { ordered, others, range } = conditionsOf(filter);
    const ids = filter.ids ? [sql<boolean>`licenses.id in (${sql.join(filter.ids)})`] : [];
    const asked = [...ordered, ...others, ...ids, ...(range ? [range] : [])];
    const walks: { by: Term; walk: Walk }[] = [];
    for (const term of terms) {
      const walk = await walkOfTerm(connection, term, asked);
      if (!walk) continue;
      if (term.by === 'key') {
        const { ids } = await idsOf(connection, { ...walk, others: [] }, null, 1);
        if (ids.length > 0) return [{ by: term.by, walk }];
      } else walks.push({ by: term.by, walk });
    }
    return walks;
  };

  const countAll = async (connection: Connection, walks: readonly Walk[]): Promise<Counted> => {
    const counts = await Promise.all(walks.map((walk) => walk.counted ?? count(connection, walk)));
    const isMore = counts.some((one) => one.isMore);
    const some = walks.filter((_, i) => (counts[i]?.total ?? 0) > 0);
    if (some.length < 2 || isMore) return { total: Math.max(0, ...counts.map((one) => one.total)), isMore };
    // One license may be found in several ways.
    const found = new Set<number>();
    for (const walk of some) for (const id of (await idsOf(connection, walk, null, MOST)).ids) found.add(id);
    return { total: found.size, isMore: false };
  };

  return async (
    connection: Connection,
    filter: LicenseSearch,
    { before, limit, counted }: SearchPage,
  ): Promise<FoundLicenses> => {
    const walks = await walksOf(connection, filter);
    const each = await Promise.all(walks.map(({ walk }) => idsOf(connection, walk, before, limit + 1)));
    const ids = [...new Set(each.flatMap((one) => one.ids))].sort((one, other) => other - one);
    const isAll = walks.length === 1 && walks[0]?.walk.by === null && walks[0].walk.others.length === 0;
    const known = before === null && each.every((one) => one.isAll);
    const totals = known
      ? { total: ids.length, isMore: false }
      : !counted
        ? { total: 0, isMore: true }
        : isAll
          ? { total: await total(connection), isMore: false }
          : await countAll(
              connection,
              walks.map(({ walk }) => walk),
            );
    const isCut = walks.some(({ walk }) => walk.isCut);
    const page = ids.slice(0, limit);
    const rows =
      page.length === 0
        ? []
        : (
            await execute(
              connection,
              db.selectFrom('licenses').select(LICENSE_COLUMNS).where('id', 'in', page).orderBy('id', 'desc'),
            )
          ).rows;
    return {
      items: toLicenses(rows, keyring),
      /** A license may be gone since its id was found. */
      next: ids.length > limit ? (page.at(-1) ?? null) : null,
      total: before === null ? Math.max(totals.total, ids.length) : totals.total,
      totalIsMore: totals.isMore || isCut,
      isCut,
      matched: walks.flatMap(({ by }, i) => (by !== null && (each[i]?.ids.length ?? 0) > 0 ? [by] : [])),
    };
  };
}

function rangeOf(expiry: Exclude<LicenseSearch['expiry'], 'never'>): Condition | null {
  if (!expiry) return null;
  const { from, before } = expiry;
  const bounds = [
    ...(from === null ? [] : [sql<boolean>`licenses.expires_at >= ${from}`]),
    ...(before === null ? [] : [sql<boolean>`licenses.expires_at < ${before}`]),
  ];
  return bounds.length === 0 ? null : sql<boolean>`${sql.join(bounds, sql` and `)}`;
}
