import { type Kysely, sql } from 'kysely';
import type { ActivationSearch } from '../../../domain/activation.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { Found, FoundActivation, SearchPage } from '../../store.ts';
import { ACTIVATION_COLUMNS, LICENSE_COLUMNS, toActivation, toLicenses } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute } from '../statement.ts';
import { boundedScans, type Condition, MOST, type Scan } from './bounded-scan.ts';
import { type Lowered, labelBegins } from './license-search.ts';

export function activationSearchOf(db: Kysely<Schema>, keyring: Keyring, lowered: Lowered) {
  const { ids: idsOf, count } = boundedScans(db);

  const scanOf = async (connection: Connection, filter: ActivationSearch): Promise<Scan> => {
    const { licenseId, softwareId, label, address, isValid } = filter;
    // An index has the first two in the order of ids; a label leads to as many as begin with it, if those are few enough to
    // be put in order at once.
    const led: Condition[] = [];
    if (licenseId !== undefined) led.push(sql`activations.license_id = ${licenseId}`);
    if (address !== undefined) led.push(sql`activations.ip_address = ${address}`);
    const begins = label === undefined ? null : labelBegins(lowered, label);
    const labelled = begins && {
      ids: sql<{ id: number }>`select id from activations where ${begins} limit ${MOST + 1}`,
    };
    const isLed =
      led.length === 0 &&
      labelled !== null &&
      !(await count(connection, { table: 'activations', by: labelled, columns: [], others: [] })).isMore;
    const by = led[0] ?? (isLed ? labelled : null);
    const others: Condition[] = [...led.slice(1), ...(begins && !isLed ? [begins] : [])];
    if (softwareId !== undefined) others.push(sql`activations.software_id = ${softwareId}`);
    if (isValid !== undefined)
      others.push(
        isValid ? sql`activations.deactivated_at is null` : sql`activations.deactivated_at is not null`,
      );
    const columns = others.length > 0 ? ['software_id', 'ip_address', 'label', 'deactivated_at'] : [];
    return { table: 'activations', by, columns, others };
  };

  return async (
    connection: Connection,
    filter: ActivationSearch,
    { before, limit, counted }: SearchPage,
  ): Promise<Found<FoundActivation>> => {
    const scan = await scanOf(connection, filter);
    const { ids, isAll } = await idsOf(connection, scan, before, limit + 1);
    const totals =
      isAll && before === null
        ? { total: ids.length, isMore: false }
        : counted
          ? await count(connection, scan)
          : { total: 0, isMore: true };
    const page = ids.slice(0, limit);
    const query = db
      .selectFrom('activations')
      .innerJoin('licenses', 'licenses.id', 'activations.license_id')
      .leftJoin('software', 'software.id', 'activations.software_id')
      .select([...LICENSE_COLUMNS, ...ACTIVATION_COLUMNS, 'software.name as software_name'])
      .where('activations.id', 'in', page)
      .orderBy('activations.id', 'desc');
    const rows = page.length === 0 ? [] : (await execute(connection, query)).rows;
    const licenses = toLicenses(rows, keyring);
    return {
      items: rows.map((row, i) => ({
        activation: toActivation(row),
        license: licenses[i] as FoundActivation['license'],
        softwareName: row.software_name,
      })),
      next: ids.length > limit ? (page.at(-1) ?? null) : null,
      total: before === null ? Math.max(totals.total, ids.length) : totals.total,
      totalIsMore: totals.isMore,
    };
  };
}
