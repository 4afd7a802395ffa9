import type { Actor } from '../../domain/actor.ts';
import { LICENSE_SOURCE, type License, type NewLicense } from '../../domain/license.ts';
import { invalid, type Outcome } from '../../domain/refusal.ts';
import { generateKeys } from '../batches/generate-keys.ts';
import type { Services } from '../execute.ts';

/** A license that somebody makes by hand. */
export type LicenseByHand = Omit<NewLicense, 'licenseKey' | 'validFor' | 'activationsLimit'> & {
  /** Null to have a generator draw one. */
  licenseKey: string | null;
  generatorId: number | null;
  validFor: number | null;
  activationsLimit: number | null;
};

/** Where others take the key in between. */
const TRIES = 5;

/** Creates a license whose key is given, or drawn by a generator; all else is as it is given. */
export async function createLicenseOf(
  services: Services,
  { licenseKey, generatorId, ...input }: LicenseByHand,
  actor: Actor,
): Promise<Outcome<License>> {
  const values = { ...input, validFor: input.validFor ?? 0, activationsLimit: input.activationsLimit ?? 0 };
  const make = (key: string, source: License['source']) =>
    services.execute('create-license', { ...values, licenseKey: key, source }, actor);
  if (licenseKey !== null) return make(licenseKey, LICENSE_SOURCE.import);
  if (generatorId === null) return invalid('licenseKey', 'required');
  const asked = {
    named: String(generatorId),
    input: { amount: 1, save: false, status: null, orderId: null, productId: null, userId: null },
    source: LICENSE_SOURCE.generator,
  };
  for (let tries = 1; ; tries++) {
    const drawn = await generateKeys(services, asked, actor);
    if (!drawn.ok) return drawn;
    const made = await make(drawn.value[0] as string, LICENSE_SOURCE.generator);
    if (made.ok || made.refusal.code !== 'license_key_exists' || tries === TRIES) return made;
  }
}
