import { hashPassword } from '../../../src/app/people/passwords.ts';

/** Hashes a password at a cost that only a test may choose: checking it is as cheap, for the hash says what it costs. */
export const quickHash = (password: string): Promise<string> => hashPassword(password, { ln: 4, r: 8, p: 1 });
