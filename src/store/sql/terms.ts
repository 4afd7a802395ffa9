import { SEAT_DEFAULTS } from '../../domain/seats.ts';
import { type LicenseTerms, TERM_FIELDS, TERMS_DEFAULTS } from '../../domain/terms.ts';
import { parseJson } from './record.ts';
import type { TermsColumn } from './schema.ts';

/** The terms in a row. Most rows have the defaults. */
export const termsOf = ({ seat_policy }: TermsColumn): LicenseTerms =>
  seat_policy === null ? TERMS_DEFAULTS : { ...TERMS_DEFAULTS, ...parseJson(seat_policy) };

const isDefault = (name: keyof LicenseTerms, value: unknown): boolean =>
  value === TERMS_DEFAULTS[name] || JSON.stringify(value) === JSON.stringify(TERMS_DEFAULTS[name]);

/**
 * The text of terms in their column; null for the defaults. The same terms always have the same text, because an
 * update compares it with the text that was read. The text has the whole seat policy, as in earlier versions, and
 * those other terms that are not the default.
 */
export function termsText(terms: LicenseTerms): string | null {
  const others = TERM_FIELDS.filter((name) => !isDefault(name, terms[name]));
  if (others.length === 0) return null;
  const kept = TERM_FIELDS.filter((name) => name in SEAT_DEFAULTS || others.includes(name));
  return JSON.stringify(Object.fromEntries(kept.map((name) => [name, terms[name]])));
}

/**
 * Puts the fields of the terms into their column.
 * @param before the terms that `values` change
 * @returns the other fields, with the column if any field of the terms is given
 */
export function withTermsColumn<Values extends Partial<LicenseTerms>>(
  values: Values,
  before: LicenseTerms = TERMS_DEFAULTS,
): Omit<Values, keyof LicenseTerms> & Partial<{ seatPolicy: string | null }> {
  const isTerm = ([name]: [string, unknown]) => name in TERMS_DEFAULTS;
  const given = Object.entries(values);
  const changed = given.filter(isTerm).filter(([, value]) => value !== undefined);
  const others = Object.fromEntries(given.filter((one) => !isTerm(one))) as Omit<Values, keyof LicenseTerms>;
  if (changed.length === 0) return others;
  return { ...others, seatPolicy: termsText({ ...before, ...Object.fromEntries(changed) }) };
}
