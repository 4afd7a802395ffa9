export const VIAS = ['api', 'cli', 'console', 'system'] as const;

/** Who acts, and through which entry point. */
export interface Actor {
  /** Becomes `created_by` and `updated_by`. */
  userId: number;
  via: (typeof VIAS)[number];
  apiKeyId: number | null;
  /** The client's address, or `user@host` on the command line; null for the system. */
  origin: string | null;
  /** The products this actor is limited to; null for all. */
  products: readonly number[] | null;
}

/** The id of the user that the first start creates. */
export const FIRST_USER = 1;
/** The service itself, as user 1. */
export const SYSTEM: Actor = {
  userId: FIRST_USER,
  via: 'system',
  apiKeyId: null,
  origin: null,
  products: null,
};

/** Whether the actor is a person rather than a program. */
export const isPerson = ({ via }: Actor): boolean => via === 'console' || via === 'cli';

/** Whether a record exists for an actor. Records without a product do not exist for actors limited to products. */
export const reaches = (actor: Actor, record: { productId: number | null }): boolean =>
  actor.products === null || (record.productId !== null && actor.products.includes(record.productId));
