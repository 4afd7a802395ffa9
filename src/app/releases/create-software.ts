import { done, invalid, type Outcome, refused } from '../../domain/refusal.ts';
import {
  checkProducts,
  type NewSoftware,
  SOFTWARE_DEFAULTS,
  type Software,
  slugOf,
} from '../../domain/software.ts';
import { UniqueViolation } from '../../store/store.ts';
import type { Command } from '../command.ts';

export const createSoftware: Command<NewSoftware, Outcome<Software>> = async (
  { software },
  input,
  { actor, now, record },
) => {
  const productIds = input.productIds ?? [];
  const products = checkProducts(actor, productIds);
  if (!products.ok) return products;
  const slug = input.slug ?? slugOf(input.name);
  if (slug === '') return invalid('slug', 'slug_from_name');
  try {
    const row = {
      ...input,
      slug,
      productIds,
      type: input.type ?? SOFTWARE_DEFAULTS.type,
      access: input.access ?? SOFTWARE_DEFAULTS.access,
      createdAt: now,
      createdBy: actor.userId,
    };
    const made = await software.insert(row);
    record({ action: 'software.create', subject: { type: 'software', id: made.id }, after: made });
    return done(made);
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    return refused('software_slug_exists', { named: slug });
  }
};
