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

/** The server's sentences about fields, 'status must be …. order_id must be …', with what the reader calls each field. */
export function serverSentences(text: string, fields: Readonly<Record<string, string>>): string {
  const names = Object.keys(fields).join('|');
  return text
    .split(new RegExp(`(?<=\\.) (?=(?:${names}) )`))
    .map((sentence) => {
      const [, name = '', said = ''] = new RegExp(`^(${names}) (.*)$`, 's').exec(sentence) ?? [];
      const told = serverText(said);
      return told === said ? serverText(sentence) : `${fields[name]}: ${told}`;
    })
    .join(' ');
}
