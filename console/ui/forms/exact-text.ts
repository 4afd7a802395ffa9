/** Props of a field for a key or another exact text, which a phone would capitalize or correct. */
export const EXACT_TEXT = {
  autoCapitalize: 'none',
  autoComplete: 'off',
  autoCorrect: 'off',
  spellCheck: false,
} as const;
