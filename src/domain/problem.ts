export type None = Record<never, never>;
/** A code of a table with its arguments. `None` means no arguments. */
export type Coded<Table> = { [C in keyof Table]: { code: C; args: Table[C] } }[keyof Table];
/** `Coded` as the parameters of a function: a code, and its arguments if it has any. */
export type Said<Table> = {
  [C in keyof Table]: None extends Table[C] ? [code: C] : [code: C, args: Table[C]];
}[keyof Table];
export const coded = <Table>(said: Said<Table>): Coded<Table> => {
  const [code, args = {}] = said as [keyof Table, Table[keyof Table]?];
  return { code, args } as Coded<Table>;
};

/** Why events cannot be sent to an address: it must be https and public, and contain no credentials. */
export type AddressFault = 'not_https' | 'address_not_allowed' | 'has_credentials' | 'not_web_address';

/** Every problem of a value, by code. `words/problems.ts` has the wording for HTTP and the CLI; the console has its own. */
export interface ProblemArgs {
  required: None;
  empty: None;
  out_of_range: { min: number; max: number };
  not_text: None;
  /** `max`: most bytes as JSON. */
  not_metadata: { max: number };
  unstorable_text: None;
  wrong_length: { min: number; max: number };
  too_long: { max: number };
  not_datetime: None;
  not_boolean: None;
  not_one_of: { allowed: readonly string[] };
  not_web_address: { max: number };
  not_headers: None;
  reserved_header: { name: string };
  address_refused: { why: AddressFault };
  only_of_webhooks: None;
  too_many_values: { max: number };
  blank: None;
  reserved_prefix: { prefix: string };
  past_year_9999: None;
  keys_too_long: { length: number; max: number };
  not_version: None;
  not_slug: None;
  not_entitlement: None;
  not_tag: None;
  /** `max`: most entries; `length`: most characters of each. */
  not_meta: { max: number; length: number };
  not_public_key: None;
  slug_is_id: None;
  slug_from_name: None;
  not_pictures: None;
  bad_pictures: { max: number };
  not_file_name: None;
  bad_file_name: { problem: Problem };
  file_to_publish: None;
  only_if_yanked: None;
  product_out_of_reach: { products: readonly number[] };
  products_out_of_reach: { products: readonly number[] };
  before_from: None;
  too_many_days: { max: number };
  one_change: None;
  one_redelivery: None;
  bad_previous: { fields: Problems };
  not_subject: { kinds: readonly string[] };
  not_audit_head: None;
  not_grace: { days: number };
  in_the_past: { at: string };
  not_email: None;
  email_of_another: None;
  password_is_name: None;
  wrong: None;
  wrong_totp: None;
  wrong_code: { left: number };
  keys_exhausted: { amount: number; available: number | null };
  /** In imported files, and the parameters of an import. */
  key_exists: None;
  key_repeated: None;
  not_utf8: None;
  shortened_number: None;
  cells_differ: { cells: number; columns: number };
  bad_csv: { line: number; fault: CsvFaultCode };
  too_many_lines: { max: number };
  unknown_column: { name: string };
  unknown_parameter: { allowed: readonly string[]; name: string };
  column_twice: { name: string };
  no_key_column: None;
  unknown_default: { allowed: readonly string[]; name: string };
  bad_defaults: { fields: Problems };
  not_json_values: None;
  not_delimiter: None;
  /** In uploads. */
  not_file: None;
  file_twice: None;
  behind_file: None;
  not_a_place: None;
  /** In the texts of devices without network. */
  not_signed_text: { prefix: string };
  bad_members: { fields: Problems };
  wrong_signature: None;
  signed_too_long_ago: { days: number };
  signed_in_future: None;
  not_name_of: { prefix: string };
  /** In flags of the command line. */
  bad_list_value: { problem: Problem; value: string };
  not_name_and_address: None;
}
export type Problem = Coded<ProblemArgs>;
export type ProblemCode = keyof ProblemArgs;

/** Problems by field. */
export type Problems = Readonly<Record<string, Problem>>;

/** Why a CSV file cannot be parsed. */
export type CsvFaultCode =
  | 'empty'
  | 'not_utf8'
  | 'quote_not_closed'
  | 'record_too_long'
  | 'too_many_cells'
  | 'text_after_quote'
  | 'quote_in_cell'
  | 'unreadable';

export const problem = (...said: Said<ProblemArgs>): Problem => coded(said);
