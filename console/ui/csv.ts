/** As `src/app/batches/csv-text.ts` has them, which says why. */
const BEGINS = '(?<=^|[,;|\\t])';
const FORMULA = "(?='*[=+\\-@＝＋－＠\\t\\r\\n])";
const UNESCAPED = new RegExp(BEGINS + FORMULA, 'g');
const ESCAPED = new RegExp(`${BEGINS}'${FORMULA}`, 'g');

/** Quotes a CSV cell. What a spreadsheet would run as a formula gets an apostrophe in front, as in exports. */
export const csvCell = (text: string): string => `"${text.replace(UNESCAPED, "'").replaceAll('"', '""')}"`;

/** Removes the apostrophes that `csvCell` puts before formulas. */
export const plainCell = (cell: string): string => cell.replace(ESCAPED, '');
