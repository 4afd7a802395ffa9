type Rows = readonly (readonly [said: RegExp, words: string])[];

let rows: Rows = [];

/** From now on the server's words are told in another language; with no rows as they are. */
export function translateServer(translations: Rows): void {
  rows = translations;
}

/** What the server says of an error, in the reader's language where that has it. */
export function serverText(text: string): string {
  const row = rows.find(([said]) => said.test(text));
  return row ? text.replace(...row) : text;
}
