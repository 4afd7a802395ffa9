import type { Actor } from '../../domain/actor.ts';
import { withDefaults } from '../../domain/fields.ts';
import { LICENSE_SOURCE, type License, type NewLicense } from '../../domain/licenses/license.ts';
import { invalid, type Outcome } from '../../domain/refusal.ts';
import { termsIn } from '../../domain/terms.ts';
import type { RepeatableRequest } from '../../store/store.ts';
import { generateKeys } from '../batches/generate-keys.ts';
import type { Services } from '../execute.ts';
import { findGenerator } from '../generators/generators.ts';

/** A license that a user creates by hand. */
export type LicenseByHand = Omit<NewLicense, 'licenseKey' | 'validFor' | 'activationsLimit'> & {
  /** Null to generate one. */
  licenseKey: string | null;
  generatorId: number | null;
  validFor: number | null;
  activationsLimit: number | null;
};

/** Attempts if other callers take the generated keys meanwhile. */
const TRIES = 5;

/**
 * Creates a license with a given or a generated key. With a generated key, the generator provides the terms, activation
 * limit and days that are not sent; its days do not apply if an expiry is sent.
 */
export async function createLicenseOf(
  services: Services,
  { licenseKey, generatorId, ...input }: LicenseByHand,
  actor: Actor,
  request: RepeatableRequest | null = null,
): Promise<Outcome<License>> {
  const valuesWith = (validFor: number, activationsLimit: number) => ({
    ...input,
    validFor: input.validFor ?? (input.expiresAt === null ? validFor : 0),
    activationsLimit: input.activationsLimit ?? activationsLimit,
  });
  if (licenseKey !== null)
    return services.execute(
      'create-license',
      { ...valuesWith(0, 0), licenseKey, source: LICENSE_SOURCE.import },
      actor,
      { request },
    );
  if (generatorId === null) return invalid('licenseKey', 'required');
  const generator = await findGenerator(services.store.read, String(generatorId), actor);
  if (!generator.ok) return generator;
  const { expiresIn, activationsLimit } = generator.value;
  const ofGenerator = {
    ...withDefaults(valuesWith(expiresIn, activationsLimit), termsIn(generator.value)),
    source: LICENSE_SOURCE.generator,
  };
  const drawing = {
    named: String(generatorId),
    input: { amount: 1, save: false, status: null, orderId: null, productId: null, userId: null },
    source: LICENSE_SOURCE.generator,
  };
  for (let tries = 1; ; tries++) {
    const drawn = await generateKeys(services, drawing, actor);
    if (!drawn.ok) return drawn;
    const license = { ...ofGenerator, licenseKey: drawn.value[0] as string };
    const created = await services.execute('create-license', license, actor, { request });
    if (created.ok || created.refusal.code !== 'license_key_exists' || tries === TRIES) return created;
  }
}
