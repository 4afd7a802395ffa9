/** The same patterns as in `src/app/batches/csv-text.ts`, which explains them. */
const BEGINS = '(?<=^|[,;|\\t]|[\\r\\n](?![\\r\\n]))';
const FORMULA = `(?=['"]*[=+\\-@＝＋－＠\\t\\r\\n])`;
const UNESCAPED = new RegExp(BEGINS + FORMULA, 'g');
const ESCAPED = new RegExp(`${BEGINS}'${FORMULA}`, 'g');

/** Quotes a CSV cell. Like exports, puts an apostrophe before anything that a spreadsheet would run as a formula. */
export const csvCell = (text: string): string => `"${text.replace(UNESCAPED, "'").replaceAll('"', '""')}"`;

/** Removes the apostrophes that `csvCell` puts before formulas. */
export const plainCell = (cell: string): string => cell.replace(ESCAPED, '');
