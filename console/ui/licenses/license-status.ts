/** Statuses in the order of their API numbers, which start at 1. Their names are in the `licenses` texts. */
export const STATUSES = ['sold', 'delivered', 'active', 'inactive', 'disabled'] as const;
export type Status = (typeof STATUSES)[number];

export const statusOf = ({ status }: { status: number }): Status => STATUSES[status - 1] ?? 'inactive';

/** License sources in the order of their API numbers, which start at 1. */
export const SOURCES = ['generator', 'import', 'api', 'migration'] as const;

/** What lists of licenses are filtered by besides their status. */
export const EXPIRIES = ['expired', 'soon', 'never'] as const;
