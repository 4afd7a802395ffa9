/**
 * A text in a CSV file that a spreadsheet may open, where a cell that begins with one of these is a formula: an apostrophe before
 * it makes it text. One that has apostrophes there already gets another, so that reading always takes off what writing put on.
 */
const FORMULA = /^'*[=+\-@＝＋－＠\t\r\n]/;
const ESCAPED = /^'+[=+\-@＝＋－＠\t\r\n]/;

export const writeCsvText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

export const readCsvText = (cell: string): string => (ESCAPED.test(cell) ? cell.slice(1) : cell);
