import { type RawBuilder, sql } from 'kysely';
import { emailAddress } from '../../../domain/email-address.ts';
import type { EngineTools } from '../../migrations/migration.ts';
import type { Condition } from './bounded-scan.ts';

// Texts are compared in any case of A to Z.

/** Sorts after every continuation of a prefix. */
const HIGHEST = '\u{10ffff}';

/** The text as `lowered` returns columns. */
const low = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const begins = (column: RawBuilder<string>, start: string): Condition =>
  sql<boolean>`${column} >= ${low(start)} and ${column} < ${low(start) + HIGHEST}`;

/** The condition on activations whose label begins with a prefix. */
export const labelBegins = ({ lowered }: EngineTools, prefix: string): Condition =>
  begins(lowered('activations.label'), prefix);

/**
 * The conditions on licenses whose customer's address begins with a text, and whose address it is; null for a text that is
 * no whole address. The index has only licenses with an address.
 */
export function emailConditions({ lowered }: EngineTools, text: string) {
  const address = lowered('licenses.customer_email');
  const where = (condition: Condition) => sql<boolean>`${address} is not null and ${condition}`;
  const is = emailAddress.read(text).ok ? where(sql<boolean>`${address} = ${low(text)}`) : null;
  return { begins: where(begins(address, text)), is };
}
