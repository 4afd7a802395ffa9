import { bad, type Field, good, isStorableText } from './fields.ts';

const ADDRESS_MAX = 2_048;

/** A field for an http or https address. Keeps the text unchanged. */
export const webAddress: Field<string> = {
  schema: { type: 'string', format: 'uri', maxLength: ADDRESS_MAX },
  read(value) {
    const isAddress =
      typeof value === 'string' &&
      value.length <= ADDRESS_MAX &&
      isStorableText(value) &&
      value === value.trim() &&
      /^https?:$/.test(URL.parse(value)?.protocol ?? '');
    return isAddress ? good(value) : bad('not_web_address', { max: ADDRESS_MAX });
  },
};
