/**
 * Spreadsheets read a cell that begins with one of these characters as a formula. A leading apostrophe makes the cell text.
 * A text that begins with apostrophes before such a character gets one more, so that reading restores it exactly. The
 * separator at which a spreadsheet splits depends on its language, and quotes do not prevent the split, so text after any
 * separator or line break is escaped like a cell, even if quotes come first.
 */
const BEGINS = '(?<=^|[,;|\\t]|[\\r\\n](?![\\r\\n]))';
const FORMULA = `(?=['"]*[=+\\-@＝＋－＠\\t\\r\\n])`;
const UNESCAPED = new RegExp(BEGINS + FORMULA, 'g');
const ESCAPED = new RegExp(`${BEGINS}'${FORMULA}`, 'g');

export const writeCsvText = (text: string): string => text.replace(UNESCAPED, "'");

export const readCsvText = (cell: string): string => cell.replace(ESCAPED, '');
