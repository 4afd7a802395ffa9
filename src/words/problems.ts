import { parameterName } from '../domain/fields.ts';
import type { AddressFault, CsvFaultCode, Problem, ProblemArgs, Problems } from '../domain/problem.ts';

const ADDRESS_FAULTS: Record<AddressFault, string> = {
  not_https: 'must begin with https:// (http is only for networks in LATCHKEY_WEBHOOK_NETWORKS).',
  address_not_allowed: 'must be a public address (LATCHKEY_WEBHOOK_NETWORKS allows networks of your own).',
  has_credentials: 'must not hold a user name or a password: send them as a header instead.',
  not_web_address: 'must be an http or https address.',
};

/**
 * The problems of values in English. Each text follows the name of the value: "page must be …". The v1 API, the console's
 * API and the CLI share them. Texts of the v1 API must not change: clients may depend on them.
 */
const WORDS: { [C in keyof ProblemArgs]: string | ((args: ProblemArgs[C]) => string) } = {
  required: 'is required.',
  empty: 'must not be empty.',
  out_of_range: ({ min, max }) => `must be an integer from ${min} to ${max}.`,
  not_text: 'must be text.',
  not_metadata: ({ max }) =>
    `must be a JSON object of at most ${max} bytes, nested at most 500 levels deep, without NUL and lone surrogates.`,
  unstorable_text: 'must be text without NUL and lone surrogates.',
  wrong_length: ({ min, max }) => `must have ${min} to ${max} characters.`,
  too_long: ({ max }) => `must have at most ${max} characters.`,
  not_datetime:
    'must be an existing date: YYYY-MM-DD HH:MM:SS, YYYY-MM-DD, or RFC 3339, up to the year 9999.',
  not_boolean: 'must be true or false (also 1 or 0, yes or no).',
  not_one_of: ({ allowed }) => `must be ${allowed.length > 1 ? 'one of ' : ''}${allowed.join(', ')}.`,
  not_headers: 'must be an object of header names and values (visible ASCII characters).',
  reserved_header: ({ name }) => `must not have ${name}, which each request has anyway.`,
  address_refused: ({ why }) => ADDRESS_FAULTS[why],
  only_of_webhooks: 'can only be given for a webhook.',
  not_web_address: ({ max }) => `must be an http or https address of at most ${max} characters.`,
  too_many_values: ({ max }) => `must be at most ${max} values.`,
  blank: 'must not be only white space.',
  reserved_prefix: ({ prefix }) => `must not begin with "${prefix}".`,
  past_year_9999: 'passes the year 9999.',
  keys_too_long: ({ length, max }) => `makes keys of ${length} characters; a key has at most ${max}.`,
  not_version: 'must be a version like 1.4, 6.8.1.2 or 2.0.0-rc.1.',
  not_public_key: 'must be the public half of an Ed25519 key: 32 bytes in base64url, without padding.',
  not_slug: 'must be letters, digits, ".", "_" and "-", beginning with a letter or digit.',
  not_entitlement: 'must be names of letters, digits, ".", "_", ":" and "-".',
  not_tag: 'must be names without commas and control characters.',
  not_meta: ({ max, length }) =>
    `must be a JSON object of at most ${max} texts by name, each of at most ${length} characters.`,
  slug_is_id: 'must not be digits only, which would be an id.',
  slug_from_name: 'is required: none can be made from a name without letters and digits.',
  not_pictures: 'must be an object of addresses by name.',
  bad_pictures: ({ max }) => `must be at most ${max} http or https addresses by name.`,
  not_file_name: 'must be a name without folders and control characters.',
  bad_file_name: ({ problem }) => `must have another name: it ${inWords(problem)}`,
  file_to_publish: 'is required to publish: send it as multipart/form-data. A draft needs none.',
  only_if_yanked: 'is only for a release that is yanked.',
  product_out_of_reach: ({ products }) =>
    `must be one of the products of this API key: ${products.join(', ')}.`,
  products_out_of_reach: ({ products }) =>
    `must be some of the products of this API key: ${products.join(', ')}.`,
  before_from: 'must not be before from.',
  too_many_days: ({ max }) => `must be at most ${max} days before to.`,
  one_change: 'is required, or extend_days or expires_at in its place: one of the three.',
  one_redelivery: 'is required, or from and to, or failed in its place: one of the three.',
  bad_previous: ({ fields }) => `must name licenses with what they had: ${inSentences(fields)}`,
  not_subject: ({ kinds }) => `must be a kind and an id, like license:12; kinds are ${kinds.join(', ')}.`,
  not_audit_head: 'must be a position and a hash, as verify and the log show them: 12:…',
  not_grace: ({ days }) => `must be 0, or minutes, hours or days up to ${days}d, like 90m, 12h or 7d.`,
  in_the_past: ({ at }) => `must be in the future; ${at} UTC is past.`,
  not_email: 'must be an email address.',
  email_of_another: 'belongs to another user.',
  password_is_name: 'must not be the name or the address.',
  wrong: 'is wrong.',
  wrong_totp: 'is wrong; check the clock of the device.',
  wrong_code: ({ left }) =>
    `is wrong, or was used already; ${left} ${left === 1 ? 'try is' : 'tries are'} left.`,
  keys_exhausted: ({ amount, available }) =>
    available === null
      ? `is too many: the generator has too few free keys left to find ${amount}.`
      : `is too many: the generator has ${available} free keys left, not ${amount}.`,
  key_exists: 'exists already.',
  key_repeated: 'is in an earlier line too.',
  not_utf8: 'is not UTF-8 text; save the file as "CSV UTF-8".',
  shortened_number:
    'was shortened by the spreadsheet, which took the key for a number: format the column as text, enter the keys again, and save the file.',
  cells_differ: ({ cells, columns }) =>
    `has ${cells === 1 ? '1 cell' : `${cells} cells`}; the first line names ${columns}.`,
  bad_csv: ({ line, fault }) => `cannot be read. Line ${line}: ${CSV_FAULTS[fault]}.`,
  too_many_lines: ({ max }) =>
    `has more than ${max.toLocaleString('en')} lines: divide it, or import it with "latchkey license import".`,
  unknown_column: ({ name }) => `names a column that the file does not have: ${name}.`,
  unknown_parameter: ({ allowed, name }) =>
    `must give each column one of ${allowed.join(', ')}, or nothing; not ${name}.`,
  column_twice: ({ name }) => `gives ${name} to two columns.`,
  no_key_column: 'must say which column is license_key.',
  unknown_default: ({ allowed, name }) =>
    `must name only ${allowed.join(', ')}; ${name} cannot have a default.`,
  bad_defaults: ({ fields }) => `are invalid: ${inSentences(fields)}`,
  not_json_values: 'must be a JSON object of texts and numbers.',
  not_delimiter: 'must be one character other than a quote.',
  not_file: 'must be a file in a multipart/form-data body.',
  file_twice: 'must be sent once.',
  behind_file: 'must stand before the file in the form.',
  not_signed_text: ({ prefix }) =>
    `must be a whole text that begins with ${prefix}, as the device wrote it; this one is cut, damaged, or another text.`,
  bad_members: ({ fields }) => `has invalid values: ${inSentences(fields)}`,
  wrong_signature: 'was cut or changed after the device had signed it.',
  signed_too_long_ago: ({ days }) =>
    `is more than ${days} days old by the clock of the device: check the clock, then make a new one.`,
  signed_in_future:
    'is from the future: set the clock of the device, then make a new request. If this is a receipt, deactivate the device on the page of the license instead.',
  not_name_of: ({ prefix }) => `must be ${prefix} and a number.`,
  not_a_place: 'must be `next` of an earlier answer.',
  bad_list_value: ({ problem, value }) => `${inWords(problem)} ${JSON.stringify(value)} is none.`,
  not_name_and_address: 'must be a name and an address: 1x=https://…, each name once.',
};

export const CSV_FAULTS: Record<CsvFaultCode, string> = {
  empty: 'the file is empty',
  not_utf8: 'the file is not UTF-8 text; save it as "CSV UTF-8"',
  quote_not_closed: 'a quote in the record that begins here is never closed',
  record_too_long: 'the record that begins here is longer than 1 MiB; perhaps a quote in it is not closed',
  too_many_cells: 'the record that begins here has more than 1,000 cells',
  text_after_quote:
    'in the record that begins here, text follows a closing quote; write a quote within a quoted cell as ""',
  quote_in_cell:
    'in the record that begins here, an unquoted cell has a quote; quote the cell, and write the quote as ""',
  unreadable: 'the record that begins here cannot be read',
};

/** Returns the words of a problem, which follow the name of the value: "must be …". */
export function inWords({ code, args }: Problem): string {
  const words = WORDS[code] as string | ((args: Problem['args']) => string);
  return typeof words === 'string' ? words : words(args);
}

/** Returns the texts of problems, by parameter name. */
export const paramsOf = (fields: Problems): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([field, problem]) => [parameterName(field), inWords(problem)]),
  );

/** Returns problems as sentences: "page must be … per_page must be …". */
export const inSentences = (fields: Problems): string =>
  Object.entries(paramsOf(fields))
    .map((sentence) => sentence.join(' '))
    .join(' ');

export const PROBLEMS = Object.keys(WORDS) as (keyof ProblemArgs)[];
