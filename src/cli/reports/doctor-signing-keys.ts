import { daysLeft, endsSoon, isDue, isOfFuture } from '../../app/keys/certificate.ts';
import { certificateOf, keySetOf, privateKeyOf } from '../../app/keys/key-set.ts';
import { type Datetime, toDatetime } from '../../domain/datetime.ts';
import { type SigningKeyReads, StoreDamaged } from '../../store/store.ts';
import { type Check, fail, ok, warn } from './doctor-check.ts';

/** Checks that the private halves fit the public ones, and that the certificate is valid for long enough. */
export async function checkSigningKeys(signingKeys: SigningKeyReads, now: Datetime): Promise<Check> {
  try {
    return await check(signingKeys, now);
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
    return fail(error.message, 'Restore the last good backup: latchkey restore');
  }
}

async function check(signingKeys: SigningKeyReads, now: Datetime): Promise<Check> {
  const keys = keySetOf(await signingKeys.list());
  if (!keys) return warn('there are none yet', 'The next start of the server makes them.');
  const { root, spare, signing } = keys;
  for (const key of [root, spare]) await privateKeyOf(signingKeys, key);
  if (!(await privateKeyOf(signingKeys, signing)))
    throw new StoreDamaged('the signing key has no private half');
  const certificate = certificateOf(keys);
  const rotate = `latchkey signing-key rotate${root.hasPrivateHalf ? '' : ' --root-file FILE'}`;
  if (isOfFuture(certificate, now))
    return fail(
      'the certificate begins in the future: the clock was ahead when it was made',
      `Make another: ${rotate}`,
    );
  const until = `the certificate of ${signing.kid} is good until ${toDatetime(certificate.exp * 1_000)} UTC`;
  if (daysLeft(certificate, now) < 0)
    return fail(`${until}: programs refuse all leases`, `Make another: ${rotate}`);
  if (endsSoon(certificate, now)) return warn(until, `Make another before then: ${rotate}`);
  if (isDue(certificate, now) && root.hasPrivateHalf)
    return warn(until, `A running server renews it, or: ${rotate}`);
  const here = [root, spare].filter(({ hasPrivateHalf }) => hasPrivateHalf).length;
  const places = [
    'both root keys are off the server',
    'one root key is off the server',
    'both root keys are on the server',
  ];
  return ok(`${until}; ${places[here]}`);
}
