import { done, type Outcome, refused } from '../../domain/refusal.ts';
import {
  checkProducts,
  SOFTWARE_DEFAULTS,
  type Software,
  type SoftwareChanges,
} from '../../domain/software.ts';
import { UniqueViolation } from '../../store/store.ts';
import type { Command } from '../command.ts';
import { findOwnSoftware } from './software.ts';

/** Changes what was sent. An update that sends no field changes nothing, `updated_at` included. */
export const updateSoftware: Command<{ named: string; changes: SoftwareChanges }, Outcome<Software>> = async (
  transaction,
  { named, changes },
  { actor, now, record },
) => {
  const found = await findOwnSoftware(transaction, named, actor);
  if (!found.ok || Object.keys(changes).length === 0) return found;
  const { name, slug, type, productIds, access, ...nullable } = changes;
  if (productIds !== undefined) {
    const products = checkProducts(actor, productIds ?? []);
    if (!products.ok) return products;
  }
  const changed: Partial<Software> = {
    ...nullable,
    ...(name != null && { name }),
    ...(slug != null && { slug }),
    ...(type !== undefined && { type: type ?? SOFTWARE_DEFAULTS.type }),
    ...(productIds !== undefined && { productIds: productIds ?? [] }),
    ...(access !== undefined && { access: access ?? SOFTWARE_DEFAULTS.access }),
    updatedAt: now,
    updatedBy: actor.userId,
  };
  try {
    await transaction.software.update(found.value.id, changed);
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    return refused('software_slug_exists', { named: slug ?? found.value.slug });
  }
  const software = { ...found.value, ...changed };
  const subject = { type: 'software', id: software.id } as const;
  record({ action: 'software.update', subject, before: found.value, after: software });
  return done(software);
};
