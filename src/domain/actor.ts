/** How something is done. */
export const VIAS = ['api', 'cli', 'console', 'system'] as const;

/** On whose behalf something is done. */
export interface Actor {
  /** Becomes `created_by` and `updated_by`. */
  userId: number;
  via: (typeof VIAS)[number];
  apiKeyId: number | null;
  /** Where a change comes from: the address of a client, `user@host` of a command line; null for the system, and for reads. */
  origin: string | null;
  /** The products this actor is limited to; null for all. */
  products: readonly number[] | null;
}

/** Whether a person does it, rather than a program. */
export const isPerson = ({ via }: Actor): boolean => via === 'console' || via === 'cli';

/** What is outside the actor's products does not exist for it; a record without a product is outside too. */
export const reaches = (actor: Actor, record: { productId: number | null }): boolean =>
  actor.products === null || (record.productId !== null && actor.products.includes(record.productId));
