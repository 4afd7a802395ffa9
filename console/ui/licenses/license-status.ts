/** By their numbers in the API, starting at 1. The `licenses` texts have their names. */
export const STATUSES = ['sold', 'delivered', 'active', 'inactive', 'disabled'] as const;
export type Status = (typeof STATUSES)[number];

export const statusOf = ({ status }: { status: number }): Status => STATUSES[status - 1] ?? 'inactive';

/** License sources, likewise. */
export const SOURCES = ['generator', 'import', 'api', 'migration'] as const;
