import { verifyEnd } from '../../app/audit/audit-chain.ts';
import { resealAll } from '../../app/keys/rotate-master-key.ts';
import { findLeftovers, findMissing, type Leftovers, removeLeftovers } from '../../app/releases/leftovers.ts';
import type { Config } from '../../config/config.ts';
import { SYSTEM } from '../../domain/actor.ts';
import { type ApiKey, isUsable } from '../../domain/api-key.ts';
import { addDays, type Datetime } from '../../domain/datetime.ts';
import { type EventEndpoint, isStopped } from '../../domain/events/endpoint.ts';
import { openArtifacts } from '../../installation/service.ts';
import type { Artifacts } from '../../storage/storage.ts';
import {
  type AuditEnd,
  END_PLACES,
  type Inspection,
  type RecordCount,
} from '../../store/backups/inspection.ts';
import type { Artifact } from '../../store/store.ts';
import { counted, grouped } from '../table.ts';
import { type Check, type Checks, fail, ok, reasonOf, repaired, warn } from './doctor-check.ts';

/** Maximum number of damaged rows that the message names. */
const DAMAGED_MAX = 5;

/**
 * Checks that all license keys and tokens can be decrypted, and are encrypted under the newest key. A process that slept
 * through a rotation may have written values under an older key.
 * @param fix re-encrypts such values
 */
export async function checkEncryption(
  config: Config,
  { rotation, others, damaged }: Pick<Inspection, 'rotation' | 'others' | 'damaged'>,
  fix: boolean,
): Promise<Check> {
  if (damaged.length > 0) {
    const named = damaged.slice(0, DAMAGED_MAX).map(({ table, id }) => `id ${id} of ${table}`);
    const more = damaged.length > named.length ? ', …' : '';
    const message = `${counted(damaged.length, 'license key or token is', 'license keys and tokens are')} damaged (${named.join(', ')}${more})`;
    return fail(message, 'Restore the last good backup: latchkey restore');
  }
  if (rotation) {
    const message = `a rotation of the master key began at ${rotation.begunAt} UTC and has not finished`;
    return warn(message, 'If it is not running now, continue it: latchkey master-key rotate');
  }
  if (others === 0) return ok('all license keys and tokens are encrypted under this master key');
  if (fix) {
    return repaired(config, async ({ store, execute }) => {
      const { keyId } = await store.read.masterKey.state();
      return `re-encrypted: ${await resealAll(execute, keyId)}`;
    });
  }
  const message = `${counted(others, 'license key or token is', 'license keys and tokens are')} encrypted under a retired key`;
  return warn(message, 'Re-encrypt: latchkey doctor --fix');
}

/** Maximum number of releases that a message names. */
const NAMED_MAX = 10;

/**
 * Checks that the storage holds the files of the database, and no other files.
 * @param fix removes other files
 */
export async function checkStorage(config: Config, found: Inspection, fix: boolean): Promise<Checks> {
  const artifacts = await openArtifacts(config);
  try {
    const files = { 'Release files': checkFiles(found, await findMissing(artifacts, found.artifacts)) };
    if (!fix) return { ...files, Leftovers: await checkLeftovers(artifacts, found) };
    const removed = await repaired(config, async (service) => {
      const leftovers = await removeLeftovers(service, { byAge: true });
      return isNone(leftovers) ? 'there were none' : `removed: ${words(leftovers)}`;
    });
    return { ...files, Leftovers: removed };
  } catch (error) {
    return { 'Release files': fail(reasonOf(error), 'Until this is fixed, no update can be downloaded.') };
  } finally {
    await artifacts.close();
  }
}

function checkFiles({ artifacts, releases }: Inspection, missing: readonly Artifact[]): Check {
  if (missing.length === 0) return ok(`${counted(artifacts.length, 'file')}, none is missing`);
  const ids = new Set(missing.map(({ id }) => id));
  const names = releases
    .filter(({ artifactId }) => ids.has(artifactId))
    .map(({ software, version }) => `${software} ${version}`);
  const more = names.length - NAMED_MAX;
  const listed = names.slice(0, NAMED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return fail(
    `missing, or of the wrong size: the files of ${listed}`,
    'Restore them from a backup, or upload them again: latchkey release update --software … --version … FILE',
  );
}

async function checkLeftovers(artifacts: Artifacts, found: Inspection): Promise<Check> {
  const used = new Set(found.artifacts.map(({ key }) => key));
  const leftovers = await findLeftovers(artifacts, { byAge: true }, (key) => used.has(key));
  return isNone(leftovers)
    ? ok('no interrupted uploads')
    : warn(words(leftovers), 'Remove them: latchkey doctor --fix');
}

const isNone = ({ partialUploads, orphans }: Leftovers): boolean => partialUploads + orphans.length === 0;
const words = ({ partialUploads, orphans }: Leftovers): string =>
  `${counted(partialUploads, 'interrupted upload')}, ${counted(orphans.length, 'file')} of no release in this database`;

/**
 * Checks the totals of lists against the records.
 * @param fix counts the records again
 */
export async function checkCounts(
  config: Config,
  counts: readonly RecordCount[],
  fix: boolean,
): Promise<Check> {
  const wrong = counts.filter(({ counted, there }) => counted !== there);
  if (wrong.length === 0) return ok('the totals of lists are right');
  const message = wrong
    .map(({ table, counted, there }) => `${table}: ${grouped(there)}, but lists show ${grouped(counted)}`)
    .join('; ');
  if (!fix) return warn(message, 'Count again: latchkey doctor --fix');
  return repaired(config, async ({ execute }) => {
    await execute('recount-records', {}, SYSTEM);
    return `counted again: ${message}`;
  });
}

/** Verifies the end of the audit trail. `latchkey audit verify` verifies all of it. */
export async function checkAudit(end: AuditEnd): Promise<Check> {
  const { head, checked, faults } = await verifyEnd(end, END_PLACES);
  const [first] = faults;
  if (first) {
    const message = `${first.message} (${counted(faults.length, 'fault')})`;
    return fail(message, 'See what else is wrong: latchkey audit verify');
  }
  if (!head) return ok('no entry is chained yet: a running server chains entries');
  return ok(`ends at position ${head.position}; the last ${counted(checked, 'entry', 'entries')} are intact`);
}

/** Warns of event endpoints that Latchkey has stopped. */
export function checkEndpoints(endpoints: readonly EventEndpoint[]): Check {
  const stopped = endpoints.filter(isStopped);
  if (stopped.length === 0) return ok(`${counted(endpoints.length, 'endpoint')}, none has been stopped`);
  const listed = stopped.map(
    ({ id, disabledAs }) => `${id} (${disabledAs === 'gone' ? 'its receiver answered 410' : 'failing'})`,
  );
  return warn(
    `nothing is sent to ${listed.join(', ')}`,
    'See why: latchkey event-endpoint show ID. Then enable it (latchkey event-endpoint update ID --enabled yes), or delete it.',
  );
}

const SOON_DAYS = 30;

export function checkApiKeys(
  apiKeys: readonly ApiKey[],
  { consumerKey }: Pick<Config, 'consumerKey'>,
  now: Datetime,
): Check {
  const usable = apiKeys.filter((one) => isUsable(one, now));
  if (usable.length === 0) {
    if (apiKeys.length === 0) return warn('there are none yet', 'The next start of the server creates one.');
    const isNew = consumerKey !== null && apiKeys.every((one) => one.keyEnding !== consumerKey.slice(-7));
    return isNew
      ? warn('none is valid yet', 'The next start of the server creates the one in LATCHKEY_CONSUMER_KEY.')
      : fail('all are expired or revoked', 'Create one: latchkey api-key create');
  }
  const soon = addDays(now, SOON_DAYS);
  const full = usable.filter(
    ({ permission, endpoints, products }) =>
      permission === 'read_write' && endpoints === null && products === null,
  );
  const expiring = full.filter(({ expiresAt }) => expiresAt !== null && soon !== null && expiresAt <= soon);
  if (expiring.length === 0) return ok(`${counted(usable.length, 'valid key')}`);
  return warn(
    expiring
      .map(({ id, expiresAt }) => `key ${id} with full permission expires at ${expiresAt} UTC`)
      .join('; '),
    expiring.length < full.length
      ? 'Use another one instead.'
      : 'Create another before then: latchkey api-key create',
  );
}
