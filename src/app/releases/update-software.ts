import { withDefaults } from '../../domain/fields.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import {
  checkProducts,
  SOFTWARE_DEFAULTS,
  type Software,
  type SoftwareChanges,
} from '../../domain/software.ts';
import { defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';
import { findOwnSoftware } from './software.ts';

export interface UpdateSoftware {
  named: string;
  changes: SoftwareChanges;
}

/** Changes what was sent. An update that sends no field changes nothing, `updated_at` included. */
export const updateSoftware = defineCommand({
  name: 'update-software',
  audit: 'always',
  run: async (
    transaction,
    { named, changes }: UpdateSoftware,
    { actor, now, record },
  ): Promise<Outcome<Software>> => {
    const found = await findOwnSoftware(transaction, named, actor);
    if (!found.ok || Object.keys(changes).length === 0) return found;
    const { value: before } = found;
    const changed = { ...withDefaults(changes, SOFTWARE_DEFAULTS), updatedAt: now, updatedBy: actor.userId };
    const after = { ...before, ...changed };
    const products = changed.productIds ? checkProducts(actor, changed.productIds) : done(null);
    if (!products.ok) return products;
    const written = await unlessTaken(refused('software_slug_exists', { named: after.slug }), () =>
      transaction.software.update(before.id, changed),
    );
    if (!written.ok) return written;
    record({ action: 'software.update', id: before.id, before, after });
    return done(after);
  },
});
