/**
 * Spreadsheets take cells that begin with these characters for formulas. An apostrophe before them makes the cell text. A
 * text that begins with apostrophes itself gets one more, so that reading restores it exactly. Which separator a spreadsheet
 * splits at depends on its language, and quotes do not stop it, so what follows a separator is treated as a cell, too.
 */
const BEGINS = '(?<=^|[,;|\\t])';
const FORMULA = "(?='*[=+\\-@＝＋－＠\\t\\r\\n])";
const UNESCAPED = new RegExp(BEGINS + FORMULA, 'g');
const ESCAPED = new RegExp(`${BEGINS}'${FORMULA}`, 'g');

export const writeCsvText = (text: string): string => text.replace(UNESCAPED, "'");

export const readCsvText = (cell: string): string => cell.replace(ESCAPED, '');
