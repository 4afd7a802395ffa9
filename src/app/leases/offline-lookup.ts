import type { Activation } from '../../domain/activation.ts';
import type { Actor } from '../../domain/actor.ts';
import { type Datetime, toDatetime } from '../../domain/datetime.ts';
import { type License, licenseRef, maskedKey } from '../../domain/licenses/license.ts';
import { done, notFound, type Outcome } from '../../domain/refusal.ts';
import type { Reads } from '../../store/store.ts';
import { findLicense } from '../licenses/licenses.ts';
import { deviceOf } from '../licenses/seats.ts';
import { findByReceipt } from './end-offline.ts';
import { type OfflineRequest, RECEIPT_PREFIX, readReceipt, readRequest } from './offline-texts.ts';

/** The content of a request or a receipt, with the records that it names. */
interface FoundText {
  kind: 'request' | 'receipt';
  /** When the device made the text, by the device's clock. */
  madeAt: Datetime;
  label: string | null;
  fingerprint: string | null;
  productId: number | null;
  license: License;
  /** For a request, the seat that the device already has; for a receipt, the activation that the receipt ends. */
  activation: Activation | null;
}

/** Finds the records that a request or a receipt names, for the person who decides on it. */
export async function findOfText(
  reads: Reads,
  sent: string,
  actor: Actor,
  now: Datetime,
): Promise<Outcome<FoundText>> {
  if (sent.trimStart().startsWith(RECEIPT_PREFIX)) {
    const read = readReceipt(sent, now);
    if (!read.ok) return read;
    const found = await findByReceipt(reads, read.value, actor);
    if (!found.ok) return found;
    const { activation, license } = found.value;
    const device = { label: activation.label, fingerprint: null, productId: license.productId };
    return done({ kind: 'receipt', madeAt: instantOf(read.value), ...device, license, activation });
  }
  const read = readRequest(sent, now);
  if (!read.ok) return read;
  const { fpr: fingerprint, lbl: label, prd: productId, x: deviceKey } = read.value;
  const found = await findRequested(reads, read.value, actor);
  if (!found.ok) return found;
  const license = found.value;
  const device = await deviceOf(reads, license, { fingerprint, label, deviceKey });
  const activation = device === null ? null : await reads.activations.findByDevice(license.id, device);
  const said = { madeAt: instantOf(read.value), label, fingerprint, productId };
  return done({ kind: 'request', ...said, license, activation });
}

/** Finds the license of a request. A refusal does not repeat the key. */
export async function findRequested(
  reads: Reads,
  { key }: OfflineRequest,
  actor: Actor,
): Promise<Outcome<License>> {
  // Accept only a license key here, not `hashed-…`.
  const found = 'hash' in licenseRef(key) ? null : await findLicense(reads, key, actor);
  return found?.ok ? found : notFound('license', maskedKey(key));
}

const instantOf = ({ iat }: { iat: number }): Datetime => toDatetime(iat * 1_000);
