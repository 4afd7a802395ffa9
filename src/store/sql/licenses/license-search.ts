import { sql } from 'kysely';
import { licenseRef } from '../../../domain/license.ts';
import {
  endsWith,
  keySuffixOf,
  type LicenseSearch,
  type LicenseTerm,
  type Term,
} from '../../../domain/license-search.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { EngineTools } from '../../migrations/migration.ts';
import type { FoundLicenses, SearchPage } from '../../store.ts';
import { totalQuery } from '../reports/record-counts.ts';
import { LICENSE_COLUMNS, toLicenses } from '../rows.ts';
import type { Database } from '../schema.ts';
import { type Connection, execute } from '../statement.ts';
import { boundedScans, type Condition, type Counted, MOST, pageOfIds, type Scan } from './bounded-scan.ts';
import { hashesOfRef, hashOfSuffix } from './key-hashes.ts';
import { hasWord, isNoted, isTagged } from './notes.ts';

/** Keys that one search decrypts at most, where the suffix asked for is longer than the one in the index. */
const OPENED = 2_000;
/** Sorts after every continuation of a prefix. */
const HIGHEST = '\u{10ffff}';

/** The condition on activations whose label begins with a prefix, in any case of A to Z. */
export function labelBegins({ lowered }: EngineTools, prefix: string): Condition {
  const low = prefix.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const label = lowered('activations.label');
  return sql<boolean>`${label} >= ${low} and ${label} < ${low + HIGHEST}`;
}

/** Columns of the ids that a term may name. */
const ID_COLUMN = { order: 'order_id', product: 'product_id', customer: 'user_id' } as const;
/** Columns that filters may use. */
const COLUMNS = ['status', 'order_id', 'product_id', 'user_id', 'source', 'expires_at'];

const is = (column: string, value: unknown): Condition =>
  sql<boolean>`${sql.ref(`licenses.${column}`)} = ${value}`;

const scanBy = (by: Scan['by'], filters: readonly Condition[]): Scan => ({
  ...{ table: 'licenses', by, columns: filters.length > 0 ? COLUMNS : [], filters },
});

/** Conditions of a filter. `ordered` are those that an index answers in the order of ids. */
function conditionsOf({ orderId, userId, productId, status, source, expiry, tag }: LicenseSearch) {
  const values = { order_id: orderId, user_id: userId, product_id: productId };
  const ordered = Object.entries({ ...values, status: status?.length === 1 ? status[0] : undefined, source })
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => is(column, value));
  if (expiry === 'never') ordered.push(sql<boolean>`licenses.expires_at is null`);
  const filters: Condition[] = [];
  if (status?.length === 0) filters.push(sql`1 = 0`);
  else if (status && status.length > 1) filters.push(sql`licenses.status in (${sql.join(status)})`);
  return {
    ordered,
    filters,
    tagged: tag === undefined ? null : isTagged(tag),
    range: expiry === 'never' ? null : rangeOf(expiry),
  };
}

function rangeOf(expiry: Exclude<LicenseSearch['expiry'], 'never'>): Condition | null {
  const bounds: Condition[] = [];
  if (expiry && expiry.from !== null) bounds.push(sql`licenses.expires_at >= ${expiry.from}`);
  if (expiry && expiry.before !== null) bounds.push(sql`licenses.expires_at < ${expiry.before}`);
  return bounds.length === 0 ? null : sql<boolean>`${sql.join(bounds, sql` and `)}`;
}

export function licenseSearchOf(db: Database, keyring: Keyring, tools: EngineTools) {
  const { ids: idsOf, count, candidates } = boundedScans(db);
  const totalOfAll = totalQuery(db, 'licenses');

  /** Scans for a filter without terms: by the most selective index, or one for each status. */
  const scansOfFilter = async (connection: Connection, filter: LicenseSearch): Promise<Scan[]> => {
    const { ordered, filters, range, tagged } = conditionsOf(filter);
    if (filter.ids) {
      // A condition on each row, so that deleted ones are not counted.
      const exists = sql<boolean>`licenses.id > 0`;
      const others = [...(range ? [range] : []), ...(tagged ? [isNoted(tagged)] : [])];
      return [scanBy({ ids: filter.ids }, [exists, ...ordered, ...filters, ...others])];
    }
    if (tagged) {
      const by = await candidates(connection, 'license_words', 'license_id', tagged);
      if (by) return [scanBy(by, [...ordered, ...filters, ...(range ? [range] : [])])];
      filters.push(isNoted(tagged));
    }
    if (range) {
      const by = await candidates(connection, 'licenses', 'id', range);
      if (by) return [scanBy(by, [...ordered, ...filters])];
      // With so many, a scan from the newest finds matches soon.
      if (ordered.length + filters.length === 0)
        return [{ ...scanBy(null, [range]), counted: { total: MOST, isMore: true } }];
    }
    const { status } = filter;
    if (ordered.length === 0 && status && status.length > 1)
      return status.map((one) => scanBy(is('status', one), range ? [range] : []));
    if (range) filters.push(range);
    if (ordered.length < 2) return [scanBy(ordered[0] ?? null, filters)];
    const totals = await Promise.all(ordered.map((by) => count(connection, scanBy(by, []))));
    const fewest = totals.reduce((best, one, i) => (one.total < (totals[best]?.total ?? 0) ? i : best), 0);
    return [scanBy(ordered[fewest] ?? null, [...ordered.filter((_, i) => i !== fewest), ...filters])];
  };

  const scanOfTerm = async (
    connection: Connection,
    term: LicenseTerm,
    filters: readonly Condition[],
  ): Promise<Scan | null> => {
    /** @param unindexed the same condition, written so that no index serves it */
    const byActivations = async (condition: Condition, unindexed = condition): Promise<Scan> => {
      const by = await candidates(connection, 'activations', 'license_id', condition);
      if (by) return scanBy(by, filters);
      // With so many, the condition is tested for each license. The offset keeps PostgreSQL from turning it into a join, which
      // would read all activations for each window.
      const exists = sql<boolean>`exists (select 1 from activations
        where activations.license_id = licenses.id and ${unindexed} limit 1 offset 0)`;
      return scanBy(null, [exists, ...filters]);
    };
    /** Licenses that meet all conditions on their words, found by the first. */
    const byWords = async ([first, ...others]: Condition[]): Promise<Scan | null> => {
      if (!first) return null;
      const by = await candidates(connection, 'license_words', 'license_id', first);
      return scanBy(by, [...(by ? others : [first, ...others]).map(isNoted), ...filters]);
    };
    switch (term.by) {
      case 'key': {
        const hashes = hashesOfRef(licenseRef(term.named), keyring);
        if (!hashes) return null;
        const ofKey = sql<boolean>`licenses.key_hash in (${hashes.index}, ${hashes.hash})`;
        return scanBy(await candidates(connection, 'licenses', 'id', ofKey), filters);
      }
      case 'ending': {
        const suffix = keySuffixOf(term.ending) ?? '';
        const by = is('ending_hash', hashOfSuffix(suffix, keyring));
        if ([...term.ending.toUpperCase()].length === [...suffix].length) return scanBy(by, filters);
        const query = db.selectFrom('licenses').select(['id', 'key_hash', 'sealed_key']).where(by);
        const { rows } = await execute(connection, query.orderBy('id', 'desc').limit(OPENED + 1));
        const ids = rows
          .slice(0, OPENED)
          .filter((row) => endsWith(keyring.open(row.sealed_key, row.key_hash), term.ending))
          .map(({ id }) => id);
        return { ...scanBy({ ids }, filters), isCut: rows.length > OPENED };
      }
      case 'label':
        return byActivations(labelBegins(tools, term.prefix));
      case 'tag':
        return byWords([isTagged(term.tag)]);
      case 'note':
        return byWords(term.words.map(hasWord));
      case 'address':
        return byActivations(sql`ip_address = ${term.address}`, sql`ip_address || '' = ${term.address}`);
      default:
        return scanBy(is(ID_COLUMN[term.by], term.id), filters);
    }
  };

  /** The scans of a search, each with the term it serves. A whole key that exists is searched for alone. */
  const scansOf = async (connection: Connection, filter: LicenseSearch) => {
    const { terms } = filter;
    if (!terms) return (await scansOfFilter(connection, filter)).map((scan) => ({ term: null, scan }));
    const { ordered, filters, range, tagged } = conditionsOf(filter);
    if (tagged) filters.push(isNoted(tagged));
    const ids = filter.ids ? [sql<boolean>`licenses.id in (${sql.join(filter.ids)})`] : [];
    const all = [...ordered, ...filters, ...ids, ...(range ? [range] : [])];
    const scans: { term: Term; scan: Scan }[] = [];
    for (const term of terms) {
      const scan = await scanOfTerm(connection, term, all);
      const isKey = term.by === 'key';
      if (isKey && scan?.by && 'ids' in scan.by && scan.by.ids.length > 0) return [{ term: term.by, scan }];
      if (scan && !isKey) scans.push({ term: term.by, scan });
    }
    return scans;
  };

  const countAll = async (connection: Connection, scans: readonly Scan[]): Promise<Counted> => {
    if (scans.length === 1 && scans[0]?.by === null && scans[0].filters.length === 0)
      return { total: await totalOfAll(connection), isMore: false };
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
    search: SearchPage,
  ): Promise<FoundLicenses> => {
    const { before, limit } = search;
    const found = await scansOf(connection, filter);
    const scans = found.map(({ scan }) => scan);
    const each = await Promise.all(scans.map((scan) => idsOf(connection, scan, before, limit + 1)));
    const ids = [...new Set(each.flatMap((one) => one.ids))].sort((one, other) => other - one);
    const isAll = each.every((one) => one.isAll);
    const countMatches = () => countAll(connection, scans);
    const { page, ...results } = await pageOfIds({ ids, isAll }, search, countMatches);
    const query = db.selectFrom('licenses').select(LICENSE_COLUMNS).where('id', 'in', page);
    const rows = page.length === 0 ? [] : (await execute(connection, query.orderBy('id', 'desc'))).rows;
    const isCut = scans.some((scan) => scan.isCut);
    return {
      // Fewer than the page, where a license was deleted since its id was found.
      items: toLicenses(rows, keyring),
      ...results,
      totalIsMore: results.totalIsMore || isCut,
      isCut,
      matched: found.flatMap(({ term }, i) => (term && (each[i]?.ids.length ?? 0) > 0 ? [term] : [])),
    };
  };
}
