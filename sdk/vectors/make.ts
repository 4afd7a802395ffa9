import { writeFileSync } from 'node:fs';
import { certificateCases } from './certificates.ts';
import { claimCases } from './claims.ts';
import { receiptCases, requestCases } from './devices.ts';
import { formCases } from './form.ts';
import { goodCases } from './good.ts';
import { headerCases } from './headers.ts';
import { jsonCases } from './json.ts';
import { NOW, ROOTS } from './kit.ts';
import { listCases, revokedCases } from './revocation-lists.ts';
import { trustCases } from './trust.ts';

// `npm run vectors` writes the test vectors. Each run writes the same: keys and times are fixed, and Ed25519 is
// deterministic.

const FILES = {
  'leases-good': ['leases that a verifier accepts', goodCases],
  'leases-form': ['texts that are not three parts in base64url', formCases],
  'leases-headers': ['leases with a wrong header, or a certificate with one', headerCases],
  'leases-json': ['leases whose payload is no JSON as the format has it', jsonCases],
  'leases-certificates': ['leases with a wrong certificate', certificateCases],
  'leases-trust': ['leases that nobody who may has signed', trustCases],
  'leases-claims': ['leases with a wrong payload, or for somebody else', claimCases],
  'leases-revoked': ['leases, each with a revocation list', revokedCases],
  'revocation-lists': ['revocation lists', listCases],
  requests: ['requests of devices without network', requestCases],
  receipts: ['receipts of devices without network', receiptCases],
} as const;

/** Returns the text of each vector file in this folder, by its name. */
export const vectorFiles = (): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(FILES).map(([name, [about, cases]]) => [
      `${name}.json`,
      `${JSON.stringify({ about, roots: ROOTS, now: NOW, cases }, null, 1)}\n`,
    ]),
  );

if (import.meta.main)
  for (const [name, text] of vectorFiles()) writeFileSync(new URL(name, import.meta.url), text);
