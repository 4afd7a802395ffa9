export * from '../de/common.ts';
export * from '../de/errors.ts';
export * from '../de/licenses.ts';
export * from '../de/notes.ts';
export * from '../de/products.ts';
export * from '../de/shell.ts';
export * from '../de/sign-in.ts';
export * from '../de/trash.ts';
