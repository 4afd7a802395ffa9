/** By their numbers in the API, from 1; what they are called is in the texts of licenses. */
export const STATUSES = ['sold', 'delivered', 'active', 'inactive', 'disabled'] as const;
export type Status = (typeof STATUSES)[number];

export const statusOf = ({ status }: { status: number }): Status => STATUSES[status - 1] ?? 'inactive';

/** Where licenses come from; the same. */
export const SOURCES = ['generator', 'import', 'api', 'migration'] as const;
