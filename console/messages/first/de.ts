import { common } from '../de/common.ts';
import { errors } from '../de/errors.ts';
import { licenses } from '../de/licenses.ts';
import { notes } from '../de/notes.ts';
import { products } from '../de/products.ts';
import { shell } from '../de/shell.ts';
import { signIn } from '../de/sign-in.ts';
import { trash } from '../de/trash.ts';

export const de = { common, errors, licenses, notes, products, shell, signIn, trash };
