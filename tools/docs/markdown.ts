/** Says at the top of a generated page that nobody should edit it. */
export const GENERATED = '<!-- Made by `npm run docs` from the code. Do not edit. -->';

/** The anchor that GitHub makes of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** Text as it is, where Markdown would take `*`, `_`, `<` and `|` for markup. */
export const escaped = (text: string): string =>
  text.replace(/[*<|\\[\]]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&');

/** `a`, `b` and `c` as links to headings of the same page. */
export const links = (headings: readonly string[]): string =>
  headings.map((heading) => `[${escaped(heading)}](#${anchorOf(heading)})`).join(', ');
