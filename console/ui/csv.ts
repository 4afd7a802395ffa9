/** Quotes a CSV cell. A text that a spreadsheet would run as a formula gets a leading apostrophe, as in exports. */
export const csvCell = (text: string): string => {
  const plain = /^'*[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${plain.replaceAll('"', '""')}"`;
};

/** Removes the apostrophe that `csvCell` puts before formulas. */
export const plainCell = (cell: string): string =>
  /^'+[=+\-@＝＋－＠\t\r\n]/.test(cell) ? cell.slice(1) : cell;
