import { localOf, utcOf } from './local-time.ts';

/** The choices for the expiry in a form. '30' and '365' are days from now. */
export const EXPIRY_CHOICES = ['generator', 'never', '30', '365', 'date'] as const;
export type ExpiryChoice = (typeof EXPIRY_CHOICES)[number];

export interface ExpiryValues {
  expiry: ExpiryChoice;
  /** The date for the choice `date`, as the value of a datetime-local field. */
  date: string;
}

export const expiryValuesOf = (expiresAt: string | null): ExpiryValues => ({
  expiry: expiresAt === null ? 'never' : 'date',
  date: localOf(expiresAt),
});

const daysOf = (choice: ExpiryChoice): number => (choice === '30' || choice === '365' ? Number(choice) : 0);

/**
 * Returns the expiry fields of a new license. With `generator` there are none, and the server uses the generator's days.
 */
export function newExpiry({ expiry, date }: ExpiryValues): {
  valid_for?: number;
  expires_at?: string | null;
} {
  if (expiry === 'generator') return {};
  return expiry === 'date' ? { valid_for: 0, expires_at: utcOf(date) } : { valid_for: daysOf(expiry) };
}

const DAY_MS = 86_400_000;

/** Returns the new expiry of an existing license; null if it never expires. */
export function changedExpiry({ expiry, date }: ExpiryValues): string | null {
  if (expiry === 'date') return utcOf(date);
  const days = daysOf(expiry);
  return days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString();
}

/** Whether a date was chosen but not entered. */
export const lacksDate = ({ expiry, date }: ExpiryValues): boolean =>
  expiry === 'date' && utcOf(date) === null;

/** The names of the API's expiry fields. Errors of these appear at the form's own fields. */
export const EXPIRY_FIELDS = { expires_at: null, valid_for: null };

/** Moves errors of the API's expiry fields to the corresponding form fields. */
export const expiryErrors = ({
  expires_at,
  valid_for,
  ...errors
}: Record<string, string>): Record<string, string> => ({
  ...errors,
  ...(expires_at && { date: expires_at }),
  ...(valid_for && { expiry: valid_for }),
});
