import fc from 'fast-check';

/**
 * Any character: a Unicode code point except a surrogate. For `fc.string({ unit })`: fast-check's own unit `binary`
 * builds a table of all code points, which takes two seconds.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_f7ff })
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));
