/** The first line of a generated page. */
export const GENERATED = '<!-- Made by `npm run docs` from the code. Do not edit. -->';

/** Returns the anchor that GitHub makes of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** Escapes `*`, `_`, `<` and `|` where Markdown would take them for markup. */
export const escaped = (text: string): string =>
  text.replace(/[*<|\\[\]]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&');

/** Returns links to headings of the same page, separated by commas. */
export const links = (headings: readonly string[]): string =>
  headings.map((heading) => `[${escaped(heading)}](#${anchorOf(heading)})`).join(', ');
