/** In a file of its own, so that the first page does not load the queries. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'kept'] as const;
