import { type RawBuilder, sql } from 'kysely';
import { emailAddress } from '../../../domain/email-address.ts';
import type { SqlEngine } from '../statement.ts';
import type { Condition } from './bounded-scan.ts';

// Comparisons ignore the case of A to Z.

/** Sorts after every continuation of a prefix. */
const HIGHEST = '\u{10ffff}';

/** Lowers A to Z in a text, as `lowered` does in a column. */
const low = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const begins = (column: RawBuilder<string>, start: string): Condition =>
  sql<boolean>`${column} >= ${low(start)} and ${column} < ${low(start) + HIGHEST}`;

/**
 * The conditions on activations whose label begins with any of some texts: `begins`, and `unindexed`, the same written so
 * that no index serves it.
 */
export function labelConditions({ lowered }: SqlEngine, starts: readonly string[]) {
  const label = lowered('activations.label');
  const where = (column: RawBuilder<string>): Condition =>
    sql`(${sql.join(
      starts.map((start) => begins(column, start)),
      sql` or `,
    )})`;
  return { begins: where(label), unindexed: where(sql`${label} || ''`) };
}

/**
 * Conditions on the email address of a license's customer. `begins`: it begins with the text. `is`: it equals the
 * text; null if the text is not a whole address. Both exclude null, because the index has only licenses with an
 * address.
 */
export function emailConditions({ lowered }: SqlEngine, text: string) {
  const address = lowered('licenses.customer_email');
  const where = (condition: Condition) => sql<boolean>`${address} is not null and ${condition}`;
  const is = emailAddress.read(text).ok ? where(sql<boolean>`${address} = ${low(text)}`) : null;
  return { begins: where(begins(address, text)), is };
}
