import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { labelStarts } from '../../../domain/activation.ts';
import { licenseRef } from '../../../domain/licenses/license.ts';
import type { LicenseOrder, OrderPlace } from '../../../domain/licenses/license-order.ts';
import {
  beginsWith,
  endsWith,
  isSameKey,
  keySuffixOf,
  type LicenseSearch,
  type LicenseTerm,
  type Term,
} from '../../../domain/licenses/license-search.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { FoundLicenses, LicenseSearchPage } from '../../store.ts';
import { totalQuery } from '../reports/record-counts.ts';
import { LICENSE_COLUMNS, toLicenses } from '../rows.ts';
import { type Connection, execute, type SqlEngine } from '../statement.ts';
import { emailConditions, labelConditions } from './beginnings.ts';
import { boundedScans, type Condition, type Counted, MOST, pageOfIds, type Scan } from './bounded-scan.ts';
import { hashesOfRef, hashOfSuffix } from './key-hashes.ts';
import { allOf, conditionsOf, inOrderOf, is } from './license-conditions.ts';
import { hasWord, isNoted, isTagged } from './notes.ts';
import { orderedLicenses } from './ordered-licenses.ts';

/** Maximum number of keys that one search decrypts to compare more of each than the index has. */
const OPENED = 2_000;
/** Maximum for a search only for the start of a key: takes about a tenth of a second. */
const OPENED_FOR_START = 20_000;
/** Minimum length of a text that is compared with whole keys regardless of case: a shorter one would help to guess keys. */
const ANY_CASE_FROM = 12;

/** Columns of the ids that a term may name. */
const ID_COLUMN = { order: 'order_id', product: 'product_id', customer: 'user_id' } as const;
/** Columns that filters may use. */
const COLUMNS = [
  ...['status', 'order_id', 'product_id', 'user_id', 'source', 'expires_at', 'created_at'],
  'customer_email',
];

const scanBy = (by: Scan['by'], filters: readonly Condition[]): Scan => ({
  table: 'licenses',
  by,
  columns: filters.length > 0 ? COLUMNS : [],
  filters,
});

export function licenseSearchOf(engine: SqlEngine, keyring: Keyring) {
  const { db } = engine;
  const { ids: idsOf, count, candidates } = boundedScans(db);
  const totalOfAll = totalQuery(db, 'licenses');
  const ordered = orderedLicenses(db);

  /** Scans for a filter without terms: one by the most selective index, or one for each status. */
  const scansOfFilter = async (connection: Connection, filter: LicenseSearch): Promise<Scan[]> => {
    const { ordered, filters, range, tagged } = conditionsOf(filter);
    if (filter.ids) {
      // A condition on each row, so that deleted licenses are not counted.
      const exists = sql<boolean>`licenses.id > 0`;
      return [scanBy({ ids: filter.ids }, [exists, ...allOf(filter)])];
    }
    if (tagged) {
      const by = await candidates(connection, 'license_words', 'license_id', tagged);
      if (by) return [scanBy(by, [...ordered, ...filters, ...(range ? [range] : [])])];
    }
    const noted = tagged ? [isNoted(tagged)] : [];
    if (range) {
      const by = await candidates(connection, 'licenses', 'id', range);
      if (by) return [scanBy(by, [...ordered, ...filters, ...noted])];
      // With so many candidates, a scan from the newest license finds matches soon.
      if (ordered.length + filters.length + noted.length === 0)
        return [{ ...scanBy(null, [range]), counted: { total: MOST, isMore: true } }];
    }
    const { status } = filter;
    const rest = [...(range ? [range] : []), ...noted];
    if (ordered.length === 0 && status && status.length > 1)
      return status.map((one) => scanBy(is('status', one), rest));
    filters.push(...rest);
    if (ordered.length < 2) return [scanBy(ordered[0] ?? null, filters)];
    const totals = await Promise.all(ordered.map((by) => count(connection, scanBy(by, []))));
    const fewest = totals.reduce((best, one, i) => (one.total < (totals[best]?.total ?? 0) ? i : best), 0);
    return [scanBy(ordered[fewest] ?? null, [...ordered.filter((_, i) => i !== fewest), ...filters])];
  };

  /** The newest licenses with a key suffix that pass the filters, and whose decrypted keys pass `isGood`. */
  const idsWithSuffix = async (
    connection: Connection,
    suffix: string,
    filters: readonly Condition[],
    isGood: (key: string) => boolean,
  ) => {
    const by = is('ending_hash', hashOfSuffix(suffix, keyring));
    const query = db.selectFrom('licenses').select(['id', 'key_hash', 'sealed_key']);
    const found = query
      .where((eb) => eb.and([by, ...filters]))
      .orderBy('id', 'desc')
      .limit(OPENED + 1);
    const { rows } = await execute(connection, found);
    const ids = rows
      .slice(0, OPENED)
      .filter((row) => isGood(keyring.open(row.sealed_key, row.key_hash)))
      .map(({ id }) => id);
    return { ids, isCut: rows.length > OPENED };
  };

  const scanOfTerm = async (
    connection: Connection,
    term: LicenseTerm,
    filters: readonly Condition[],
  ): Promise<Scan | null> => {
    /** @param unindexed the same condition, written so that no index serves it */
    const byActivations = async (condition: Condition, unindexed: Condition): Promise<Scan> => {
      const by = await candidates(connection, 'activations', 'license_id', condition);
      if (by) return scanBy(by, filters);
      // With so many candidates, the condition is tested for each license. The offset keeps PostgreSQL from turning
      // it into a join, which would read all activations for each window.
      const exists = sql<boolean>`exists (select 1 from activations
        where activations.license_id = licenses.id and ${unindexed} limit 1 offset 0)`;
      return scanBy(null, [exists, ...filters]);
    };
    /** Scans for licenses that meet all conditions on their words. The first condition finds the candidates. */
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
        const exact = await candidates(connection, 'licenses', 'id', ofKey);
        if (exact?.ids.length !== 0 || term.named.length < ANY_CASE_FROM) return scanBy(exact, filters);
        const { ids } = await idsWithSuffix(connection, keySuffixOf(term.named) ?? '', filters, (key) =>
          isSameKey(key, term.named),
        );
        return scanBy({ ids }, []);
      }
      case 'start': {
        const most = term.isOnly ? OPENED_FOR_START : OPENED;
        const newest = await idsOf(connection, scanBy(null, filters), null, most + 1);
        const ids: number[] = [];
        for (let at = 0; at < Math.min(newest.ids.length, most); at += OPENED) {
          const some = newest.ids.slice(at, Math.min(at + OPENED, most));
          const query = db.selectFrom('licenses').select(['id', 'key_hash', 'sealed_key']);
          const { rows } = await execute(connection, query.where('id', 'in', some));
          for (const row of rows)
            if (beginsWith(keyring.open(row.sealed_key, row.key_hash), term.start)) ids.push(row.id);
          await setImmediate();
        }
        return { ...scanBy({ ids }, []), isCut: term.isOnly && newest.ids.length > most };
      }
      case 'ending': {
        const suffix = keySuffixOf(term.ending) ?? '';
        const by = is('ending_hash', hashOfSuffix(suffix, keyring));
        const { ending, minLength = 0 } = term;
        if (minLength === 0 && [...ending.toUpperCase()].length === [...suffix].length)
          return scanBy(by, filters);
        const isFound = (key: string) => endsWith(key, ending) && [...key].length >= minLength;
        const { ids, isCut } = await idsWithSuffix(connection, suffix, filters, isFound);
        return { ...scanBy({ ids }, []), isCut };
      }
      case 'email': {
        const { begins, is } = emailConditions(engine, term.start);
        const by = await candidates(connection, 'licenses', 'id', (term.isWhole && is) || begins);
        if (by) return scanBy(by, filters);
        // A reseller may have very many licenses: the index has the licenses of one address in the order of their
        // ids.
        return scanBy(is, is ? filters : [begins, ...filters]);
      }
      case 'label': {
        const { begins, unindexed } = labelConditions(engine, labelStarts(term.prefix));
        return byActivations(begins, unindexed);
      }
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

  /**
   * The scans of a search, each with the term that it serves. A term that is the whole key of a license is searched
   * for alone.
   */
  const scansOf = async (connection: Connection, filter: LicenseSearch) => {
    const { terms } = filter;
    if (!terms) return (await scansOfFilter(connection, filter)).map((scan) => ({ term: null, scan }));
    const ids = filter.ids ? [sql<boolean>`licenses.id in (${sql.join(filter.ids)})`] : [];
    const all = [...allOf(filter), ...ids];
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

  /**
   * A page in another order. Sorts all matches if there are at most MOST; otherwise reads the index on the column in
   * its order. With search terms or ids, only the newest MOST matches count.
   */
  const inOrder = async (
    connection: Connection,
    filter: LicenseSearch,
    found: readonly { term: Term | null; scan: Scan }[],
    { sort, after = null, limit }: LicenseSearchPage & { sort: LicenseOrder },
  ): Promise<FoundLicenses> => {
    const scans = found.map(({ scan }) => scan);
    const { total, isMore } = await countAll(connection, scans);
    const isSorted = total <= MOST && !isMore;
    let places: OrderPlace[];
    const matched: Term[] = [];
    if (isSorted || filter.terms || filter.ids) {
      const each = await Promise.all(scans.map((scan) => idsOf(connection, scan, null, MOST)));
      for (const [i, { term }] of found.entries()) if (term && each[i]?.ids.length) matched.push(term);
      const ids = [...new Set(each.flatMap((one) => one.ids))];
      places = await ordered.sort(connection, sort, ids, after, limit + 1);
    } else {
      places = await ordered.scan(connection, sort, inOrderOf(filter, sort), after, limit + 1);
    }
    const page = places.slice(0, limit);
    const query = db.selectFrom('licenses').select(LICENSE_COLUMNS);
    const ids = page.map(({ id }) => id);
    const rows = ids.length === 0 ? [] : (await execute(connection, query.where('id', 'in', ids))).rows;
    const licenses = new Map(toLicenses(rows, keyring).map((license) => [license.id, license]));
    const isCut = scans.some((scan) => scan.isCut);
    return {
      items: ids.flatMap((id) => licenses.get(id) ?? []),
      next: null,
      nextPlace: places.length > limit ? (page.at(-1) ?? null) : null,
      total,
      totalIsMore: isMore || isCut,
      isCut,
      matched,
    };
  };

  return async (
    connection: Connection,
    filter: LicenseSearch,
    search: LicenseSearchPage,
  ): Promise<FoundLicenses> => {
    const { before, limit, sort } = search;
    const found = await scansOf(connection, filter);
    if (sort) return inOrder(connection, filter, found, { ...search, sort });
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
      // May be fewer than the page: a license may have been deleted since its id was found.
      items: toLicenses(rows, keyring),
      ...results,
      totalIsMore: results.totalIsMore || isCut,
      isCut,
      matched: found.flatMap(({ term }, i) => (term && (each[i]?.ids.length ?? 0) > 0 ? [term] : [])),
    };
  };
}
