import { setTimeout } from 'node:timers/promises';
import { chainLag } from '../app/audit/audit-chain.ts';
import { secondsLeft } from '../app/keys/certificate.ts';
import { signingCertificate } from '../app/keys/renew-signing-key.ts';
import { newestArchive } from '../archive/folder.ts';
import type { Config } from '../config/config.ts';
import { toDatetime } from '../domain/datetime.ts';
import { isStopped } from '../domain/events/endpoint.ts';
import { diskSpace } from './disk-space.ts';
import { backupFolder, type Service } from './service.ts';

/** Milliseconds to wait for each figure. A database that does not answer must not delay the metrics, which report that. */
const PATIENCE_MS = 2_000;

/**
 * Returns the state of an installation for metrics. A figure is null if it could not be read in time or does not exist.
 * `isReady` is false if the database could not say in time that it is ready.
 */
export async function readFigures(
  config: Pick<Config, 'dataDir' | 'backupDir'>,
  { store, clock }: Pick<Service, 'store' | 'clock'>,
) {
  const none = { before: null, offset: 0, limit: 0 };
  const [isReady, licenses, lag, certificate, stopped, space] = await Promise.all([
    inTime(() => store.ready()),
    inTime(async () => (await store.read.licenses.list({}, none)).total),
    inTime(() => chainLag({ store, clock })),
    inTime(() => signingCertificate(store)),
    inTime(async () => (await store.read.endpoints.list()).filter(isStopped).length),
    inTime(() => diskSpace(config.dataDir)),
  ]);
  return {
    isReady: isReady === true,
    licenses,
    chainLag: lag === null ? null : lag / 1_000,
    certificateLeft: certificate && secondsLeft(certificate, toDatetime(clock())),
    stoppedEndpoints: stopped,
    backupAge: backupAge(backupFolder(config), clock()),
    diskFree: space?.free ?? null,
  };
}

const inTime = <T>(read: () => Promise<T>): Promise<T | null> =>
  Promise.race([read().catch(() => null), setTimeout(PATIENCE_MS, null, { ref: false })]);

function backupAge(folder: string, now: number): number | null {
  try {
    const newest = newestArchive(folder, now);
    return newest ? (now - newest.when) / 1_000 : null;
  } catch {
    return null;
  }
}
