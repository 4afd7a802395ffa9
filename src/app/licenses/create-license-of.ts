import type { Actor } from '../../domain/actor.ts';
import { LICENSE_SOURCE, type License, type NewLicense } from '../../domain/license.ts';
import { invalid, type Outcome } from '../../domain/refusal.ts';
import { generateKeys } from '../batches/generate-keys.ts';
import type { Services } from '../execute.ts';

/** A license that a user creates by hand. */
export type LicenseByHand = Omit<NewLicense, 'licenseKey' | 'validFor' | 'activationsLimit'> & {
  /** Null to generate one. */
  licenseKey: string | null;
  generatorId: number | null;
  validFor: number | null;
  activationsLimit: number | null;
};

/** Attempts, if others take the generated keys meanwhile. */
const TRIES = 5;

/** Creates a license with a given key, or with one from a generator. */
export async function createLicenseOf(
  services: Services,
  { licenseKey, generatorId, ...input }: LicenseByHand,
  actor: Actor,
): Promise<Outcome<License>> {
  const values = { ...input, validFor: input.validFor ?? 0, activationsLimit: input.activationsLimit ?? 0 };
  const create = (key: string, source: License['source']) =>
    services.execute('create-license', { ...values, licenseKey: key, source }, actor);
  if (licenseKey !== null) return create(licenseKey, LICENSE_SOURCE.import);
  if (generatorId === null) return invalid('licenseKey', 'required');
  const request = {
    named: String(generatorId),
    input: { amount: 1, save: false, status: null, orderId: null, productId: null, userId: null },
    source: LICENSE_SOURCE.generator,
  };
  for (let tries = 1; ; tries++) {
    const drawn = await generateKeys(services, request, actor);
    if (!drawn.ok) return drawn;
    const created = await create(drawn.value[0] as string, LICENSE_SOURCE.generator);
    if (created.ok || created.refusal.code !== 'license_key_exists' || tries === TRIES) return created;
  }
}
