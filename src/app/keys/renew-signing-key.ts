import { SYSTEM } from '../../domain/actor.ts';
import { toDatetime } from '../../domain/datetime.ts';
import type { Services } from '../execute.ts';
import { type Certificate, daysLeft, endsSoon, isDue, readCertificate } from './certificate.ts';
import { keySetOf } from './key-set.ts';

/** Returns the signing key's certificate; null if there is none yet or it is unreadable. @throws StoreDamaged */
export async function signingCertificate({ read }: Services['store']): Promise<Certificate | null> {
  const keys = keySetOf(await read.signingKeys.list());
  return readCertificate(keys?.signing.certificate ?? null);
}

/**
 * Rotates the signing key when its certificate is due, if the database has the root key.
 * @returns the id of the new key, if there is one; and the days until the certificate ends, if it ends soon and only an
 *   operator can renew it
 * @throws StoreDamaged
 */
export async function renewSigningKey({
  store,
  execute,
  clock,
}: Pick<Services, 'store' | 'execute' | 'clock'>): Promise<{
  renewed: string | null;
  endsIn: number | null;
}> {
  const now = toDatetime(clock());
  const certificate = await signingCertificate(store);
  const nothing = { renewed: null, endsIn: null };
  if (!certificate || !isDue(certificate, now)) return nothing;
  const done = await execute('rotate-signing-key', { rootKey: null, revoke: false, onlyIfDue: true }, SYSTEM);
  if (done.ok) return { ...nothing, renewed: done.value?.to ?? null };
  return { ...nothing, endsIn: endsSoon(certificate, now) ? daysLeft(certificate, now) : null };
}
