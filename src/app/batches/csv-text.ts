/**
 * Spreadsheets take cells that begin with these characters for formulas. An apostrophe before them makes the cell text. A
 * text that begins with apostrophes itself gets one more, so that reading restores it exactly.
 */
const FORMULA = /^'*[=+\-@＝＋－＠\t\r\n]/;
const ESCAPED = /^'+[=+\-@＝＋－＠\t\r\n]/;

export const writeCsvText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

export const readCsvText = (cell: string): string => (ESCAPED.test(cell) ? cell.slice(1) : cell);
