/** The texts of all other pages and of parts that are loaded later. */
export * from '../en/account.ts';
export * from '../en/activations.ts';
export * from '../en/api-keys.ts';
export * from '../en/audit.ts';
export * from '../en/dashboard.ts';
export * from '../en/events.ts';
export * from '../en/generators.ts';
export * from '../en/imports.ts';
export * from '../en/offline.ts';
export * from '../en/seats.ts';
export * from '../en/settings.ts';
export * from '../en/setup.ts';
export * from '../en/software.ts';
export * from '../en/terms.ts';
export * from '../en/users.ts';
