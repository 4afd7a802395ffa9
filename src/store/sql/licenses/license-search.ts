import { type Kysely, sql } from 'kysely';
import { licenseRef } from '../../../domain/license.ts';
import {
  endsWith,
  keySuffixOf,
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
import { boundedScans, type Condition, type Counted, MOST, type Scan } from './bounded-scan.ts';
import { hashOfRef } from './key-hashes.ts';
import { hashOfSuffix } from './key-suffix.ts';

/** A column of text with A to Z as a to z, in the order of its bytes. */
export type Lowered = (column: string) => ReturnType<typeof sql<string>>;

/** Keys that one search decrypts at most, where the suffix asked for is longer than the one in the index. */
const OPENED = 2_000;
/** Sorts behind every continuation of a prefix. */
const HIGHEST = '\u{10ffff}';

/** The condition on activations whose label begins with a prefix, in any case of A to Z. */
export function labelBegins(lowered: Lowered, prefix: string): Condition {
  const low = prefix.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const label = lowered('activations.label');
  return sql<boolean>`${label} >= ${low} and ${label} < ${low + HIGHEST}`;
}

/** Columns that conditions may use beside the one that an index answers. */
const COLUMNS = ['status', 'order_id', 'product_id', 'user_id', 'source', 'expires_at'];

export function licenseSearchOf(db: Kysely<Schema>, keyring: Keyring, lowered: Lowered) {
  const { ids: idsOf, count, run } = boundedScans(db);
  const total = totalQuery(db, 'licenses');
  const scanBy = (by: Scan['by'], others: readonly Condition[]): Scan => ({
    ...{ table: 'licenses', by, columns: others.length > 0 ? COLUMNS : [], others },
  });
  const idsBy = (condition: Condition) => ({
    ids: sql<{ id: number }>`select id from licenses where ${condition} limit ${MOST + 1}`,
  });

  /** Conditions of a filter. `ordered` are those that an index answers in the order of ids, the most selective first. */
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

  /** Scans for a filter without terms: by the most selective index, or one for each status. */
  const scansOfFilter = async (connection: Connection, filter: LicenseSearch): Promise<Scan[]> => {
    const { ordered, others, range } = conditionsOf(filter);
    if (filter.ids) {
      // A condition on each row, so that deleted ones are not counted.
      const there = sql<boolean>`licenses.id > 0`;
      return [scanBy({ ids: filter.ids }, [there, ...ordered, ...others, ...(range ? [range] : [])])];
    }
    if (range) {
      const counted = await count(connection, scanBy(idsBy(range), []));
      if (!counted.isMore) return [scanBy(idsBy(range), [...ordered, ...others])];
      // With so many, matches are found soon by scanning from the newest.
      if (ordered.length + others.length === 0) return [{ ...scanBy(null, [range]), counted }];
      others.push(range);
    }
    if (ordered.length === 0 && filter.status && filter.status.length > 1) {
      const rest = others.filter((one) => one === range);
      return filter.status.map((status) => scanBy(sql<boolean>`licenses.status = ${status}`, rest));
    }
    if (ordered.length < 2) return [scanBy(ordered[0] ?? null, others)];
    const totals = await Promise.all(ordered.map((by) => count(connection, scanBy(by, []))));
    const fewest = totals.reduce((best, one, i) => (one.total < (totals[best]?.total ?? 0) ? i : best), 0);
    return [scanBy(ordered[fewest] ?? null, [...ordered.filter((_, i) => i !== fewest), ...others])];
  };

  const scanOfTerm = async (
    connection: Connection,
    term: LicenseTerm,
    others: readonly Condition[],
  ): Promise<Scan | null> => {
    /** @param ofEach the same condition, written so that no index serves it */
    const ofActivations = async (condition: Condition, ofEach = condition): Promise<Scan> => {
      const ids = sql<{ id: number }>`
        select license_id as id from activations where ${condition} limit ${MOST + 1}`;
      const rows = await run(connection, ids);
      if (rows.length <= MOST) return scanBy({ ids: rows.map(({ id }) => id) }, others);
      // With so many, the condition is tested for each license. The offset keeps PostgreSQL from turning it into a join, which
      // would read all activations for each window.
      return scanBy(null, [
        sql`exists (
          select 1 from activations where activations.license_id = licenses.id and ${ofEach} limit 1 offset 0)`,
        ...others,
      ]);
    };
    switch (term.by) {
      case 'key': {
        const hash = hashOfRef(licenseRef(term.named), keyring);
        return hash && scanBy(idsBy(sql`key_hash = ${hash}`), others);
      }
      case 'ending': {
        const hash = hashOfSuffix(keySuffixOf(term.ending) ?? '', keyring);
        const by = sql<boolean>`licenses.ending_hash = ${hash}`;
        if ([...term.ending.toUpperCase()].length === [...(keySuffixOf(term.ending) ?? '')].length)
          return scanBy(by, others);
        const rows = await run(
          connection,
          sql<{ id: number; key_hash: Uint8Array; sealed_key: Uint8Array }>`
            select id, key_hash, sealed_key from licenses where ${by} order by id desc limit ${OPENED + 1}`,
        );
        const isCut = rows.length > OPENED;
        const ids = rows
          .slice(0, OPENED)
          .filter((row) => endsWith(keyring.open(row.sealed_key, row.key_hash), term.ending))
          .map(({ id }) => id);
        return { ...scanBy({ ids }, others), isCut };
      }
      case 'order':
        return scanBy(sql<boolean>`licenses.order_id = ${term.id}`, others);
      case 'product':
        return scanBy(sql<boolean>`licenses.product_id = ${term.id}`, others);
      case 'customer':
        return scanBy(sql<boolean>`licenses.user_id = ${term.id}`, others);
      case 'label':
        return ofActivations(labelBegins(lowered, term.prefix));
      case 'address': {
        const address = sql<boolean>`ip_address = ${term.address}`;
        return ofActivations(address, sql<boolean>`ip_address || '' = ${term.address}`);
      }
    }
  };

  /** The scans of a search, each with the term it serves. A whole key that exists is searched for alone. */
  const scansOf = async (connection: Connection, filter: LicenseSearch) => {
    const { terms } = filter;
    if (!terms) return (await scansOfFilter(connection, filter)).map((scan) => ({ by: null, scan }));
    const { ordered, others, range } = conditionsOf(filter);
    const ids = filter.ids ? [sql<boolean>`licenses.id in (${sql.join(filter.ids)})`] : [];
    const asked = [...ordered, ...others, ...ids, ...(range ? [range] : [])];
    const scans: { by: Term; scan: Scan }[] = [];
    for (const term of terms) {
      const scan = await scanOfTerm(connection, term, asked);
      if (!scan) continue;
      if (term.by === 'key') {
        const { ids } = await idsOf(connection, { ...scan, others: [] }, null, 1);
        if (ids.length > 0) return [{ by: term.by, scan }];
      } else scans.push({ by: term.by, scan });
    }
    return scans;
  };

  const countAll = async (connection: Connection, scans: readonly Scan[]): Promise<Counted> => {
    const counts = await Promise.all(scans.map((scan) => scan.counted ?? count(connection, scan)));
    const isMore = counts.some((one) => one.isMore);
    const some = scans.filter((_, i) => (counts[i]?.total ?? 0) > 0);
    if (some.length < 2 || isMore) return { total: Math.max(0, ...counts.map((one) => one.total)), isMore };
    // Several scans may find the same license.
    const found = new Set<number>();
    for (const scan of some) for (const id of (await idsOf(connection, scan, null, MOST)).ids) found.add(id);
    return { total: found.size, isMore: false };
  };

  return async (
    connection: Connection,
    filter: LicenseSearch,
    { before, limit, counted }: SearchPage,
  ): Promise<FoundLicenses> => {
    const scans = await scansOf(connection, filter);
    const each = await Promise.all(scans.map(({ scan }) => idsOf(connection, scan, before, limit + 1)));
    const ids = [...new Set(each.flatMap((one) => one.ids))].sort((one, other) => other - one);
    const isAll = scans.length === 1 && scans[0]?.scan.by === null && scans[0].scan.others.length === 0;
    const known = before === null && each.every((one) => one.isAll);
    const totals = known
      ? { total: ids.length, isMore: false }
      : !counted
        ? { total: 0, isMore: true }
        : isAll
          ? { total: await total(connection), isMore: false }
          : await countAll(
              connection,
              scans.map(({ scan }) => scan),
            );
    const isCut = scans.some(({ scan }) => scan.isCut);
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
      matched: scans.flatMap(({ by }, i) => (by !== null && (each[i]?.ids.length ?? 0) > 0 ? [by] : [])),
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
