/** A text as a cell of a CSV file: quoted, and where a spreadsheet would take it for a formula, with an apostrophe, as exports have it. */
export const csvCell = (text: string): string => {
  const plain = /^'*[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${plain.replaceAll('"', '""')}"`;
};

/** Without the apostrophe that exports put before what a spreadsheet would run. */
export const plainCell = (cell: string): string =>
  /^'+[=+\-@＝＋－＠\t\r\n]/.test(cell) ? cell.slice(1) : cell;
