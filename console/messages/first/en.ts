import { common } from '../en/common.ts';
import { errors } from '../en/errors.ts';
import { licenses } from '../en/licenses.ts';
import { notes } from '../en/notes.ts';
import { products } from '../en/products.ts';
import { shell } from '../en/shell.ts';
import { signIn } from '../en/sign-in.ts';
import { trash } from '../en/trash.ts';

/** The texts that the shell, the list of licenses and the sign-in page need, by noun. One namespace each. */
export const en = { common, errors, licenses, notes, products, shell, signIn, trash };
