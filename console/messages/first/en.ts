/** The texts that the shell, the list of licenses and the sign-in page need, by noun. One namespace each. */
export * from '../en/common.ts';
export * from '../en/errors.ts';
export * from '../en/licenses.ts';
export * from '../en/notes.ts';
export * from '../en/products.ts';
export * from '../en/shell.ts';
export * from '../en/sign-in.ts';
export * from '../en/trash.ts';
