import { withDefaults } from '../../domain/fields.ts';
import { invalid, type Outcome, refused } from '../../domain/refusal.ts';
import {
  checkProducts,
  type NewSoftware,
  SOFTWARE_DEFAULTS,
  type Software,
  slugOf,
} from '../../domain/software.ts';
import { defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';

export const createSoftware = defineCommand({
  name: 'create-software',
  audit: 'always',
  run: async ({ software }, input: NewSoftware, { actor, now, record }): Promise<Outcome<Software>> => {
    const values = withDefaults(input, SOFTWARE_DEFAULTS);
    const products = checkProducts(actor, values.productIds);
    if (!products.ok) return products;
    const slug = input.slug ?? slugOf(input.name);
    if (slug === '') return invalid('slug', 'slug_from_name');
    const made = await unlessTaken(refused('software_slug_exists', { named: slug }), () =>
      software.insert({ ...values, slug, createdAt: now, createdBy: actor.userId }),
    );
    if (made.ok) record({ action: 'software.create', id: made.value.id, after: made.value });
    return made;
  },
});
