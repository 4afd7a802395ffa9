import { sql } from 'kysely';
import type { ActivationSearch } from '../../../domain/activation.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { Found, FoundActivation, SearchPage } from '../../store.ts';
import { ACTIVATION_COLUMNS, LICENSE_COLUMNS, toActivation, toLicense } from '../rows.ts';
import { type Connection, execute, type SqlEngine } from '../statement.ts';
import { labelConditions } from './beginnings.ts';
import { boundedScans, type Condition, pageOfIds, type Scan } from './bounded-scan.ts';

export function activationSearchOf(engine: SqlEngine, keyring: Keyring) {
  const { db } = engine;
  const { ids: idsOf, count, candidates } = boundedScans(db);

  const scanOf = async (connection: Connection, filter: ActivationSearch): Promise<Scan> => {
    const { licenseId, softwareId, labels, address, isValid, at } = filter;
    // Indexes on these two columns answer in the order of ids.
    const ordered: Condition[] = [];
    if (licenseId !== undefined) ordered.push(sql`activations.license_id = ${licenseId}`);
    if (address !== undefined) ordered.push(sql`activations.ip_address = ${address}`);
    const [first = null, ...filters] = ordered;
    let by: Scan['by'] = first;
    if (labels !== undefined) {
      const { begins } = labelConditions(engine, labels);
      const found = by === null ? await candidates(connection, 'activations', 'id', begins) : null;
      if (found) by = found;
      else filters.push(begins);
    }
    if (softwareId !== undefined) filters.push(sql`activations.software_id = ${softwareId}`);
    if (isValid !== undefined) {
      const held = sql<boolean>`(activations.deactivated_at is null
        and (activations.seat_expires_at is null or activations.seat_expires_at > ${at}))`;
      filters.push(isValid ? held : sql`not ${held}`);
    }
    const columns =
      filters.length > 0 ? ['software_id', 'ip_address', 'label', 'deactivated_at', 'seat_expires_at'] : [];
    return { table: 'activations', by, columns, filters };
  };

  return async (
    connection: Connection,
    filter: ActivationSearch,
    search: SearchPage,
  ): Promise<Found<FoundActivation>> => {
    const scan = await scanOf(connection, filter);
    const ids = await idsOf(connection, scan, search.before, search.limit + 1);
    const { page, ...found } = await pageOfIds(ids, search, () => count(connection, scan));
    const query = db
      .selectFrom('activations')
      .innerJoin('licenses', 'licenses.id', 'activations.license_id')
      .leftJoin('software', 'software.id', 'activations.software_id')
      .select([...LICENSE_COLUMNS, ...ACTIVATION_COLUMNS, 'software.name as software_name'])
      .where('activations.id', 'in', page)
      .orderBy('activations.id', 'desc');
    const rows = page.length === 0 ? [] : (await execute(connection, query)).rows;
    const items = rows.map((row) => ({
      activation: toActivation(row, keyring),
      license: toLicense(row, keyring),
      softwareName: row.software_name,
    }));
    return { items, ...found };
  };
}
