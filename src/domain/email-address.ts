import { bad, codePoints, type Field, good, isStorableText } from './fields.ts';

const EMAIL_MAX = 254;

/** White space, invisible characters, characters that change the text direction, and syntax of address lists. */
const NOT_IN_ADDRESS = /[\s\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}"(),:;<>[\\\]]/u;

export const emailAddress: Field<string> = {
  schema: { type: 'string', format: 'email', maxLength: EMAIL_MAX },
  read(value) {
    // Normalizing takes quadratic time for a long run of combining marks. It may shorten text, so the limit is generous.
    const isShort = typeof value === 'string' && value.length <= 4 * EMAIL_MAX;
    const address = isShort && isStorableText(value) ? value.trim().normalize('NFC') : '';
    const parts = address.split('@');
    const isAddress =
      codePoints(address) <= EMAIL_MAX &&
      parts.length === 2 &&
      parts.every((part) => part !== '' && !/^\.|\.$|\.\./.test(part)) &&
      !NOT_IN_ADDRESS.test(address);
    return isAddress ? good(address) : bad('not_email');
  },
};

/** Returns a key for comparing addresses regardless of case: two addresses with the same key are the same address. */
export const emailKeyOf = (email: string): string => email.normalize('NFC').toLowerCase().normalize('NFC');
