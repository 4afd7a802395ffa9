import { hashPassword } from '../../../src/app/people/passwords.ts';

/**
 * Hashes a password at a low cost that only tests may choose. Checking it is cheap as well: the hash contains its cost.
 */
export const quickHash = (password: string): Promise<string> => hashPassword(password, { ln: 4, r: 8, p: 1 });
