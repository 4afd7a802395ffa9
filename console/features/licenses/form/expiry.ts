import { localOf, utcOf } from './local-time.ts';

/** How a form says when a license expires; days count from now. */
export const EXPIRY_CHOICES = ['generator', 'never', '30', '365', 'date'] as const;
export type ExpiryChoice = (typeof EXPIRY_CHOICES)[number];

export interface ExpiryValues {
  expiry: ExpiryChoice;
  /** The value of a datetime-local field, for the choice `date`. */
  date: string;
}

export const expiryValuesOf = (expiresAt: string | null): ExpiryValues => ({
  expiry: expiresAt === null ? 'never' : 'date',
  date: localOf(expiresAt),
});

const daysOf = (choice: ExpiryChoice): number => (choice === '30' || choice === '365' ? Number(choice) : 0);

/** The fields of a new license. For `generator` none is sent: the generator has the days. */
export function newExpiry({ expiry, date }: ExpiryValues): {
  valid_for?: number;
  expires_at?: string | null;
} {
  if (expiry === 'generator') return {};
  return expiry === 'date' ? { valid_for: 0, expires_at: utcOf(date) } : { valid_for: daysOf(expiry) };
}

const DAY_MS = 86_400_000;

/** The new time of an existing license; null for none. */
export function changedExpiry({ expiry, date }: ExpiryValues, now: number = Date.now()): string | null {
  if (expiry === 'date') return utcOf(date);
  const days = daysOf(expiry);
  return days === 0 ? null : new Date(now + days * DAY_MS).toISOString();
}

/** Whether a date was chosen but not entered. */
export const lacksDate = ({ expiry, date }: ExpiryValues): boolean =>
  expiry === 'date' && utcOf(date) === null;

/** The API's names of what the fields say. */
export const EXPIRY_FIELDS = { expires_at: null, valid_for: null };

/** Puts the errors of the API's fields beside the fields of the form. */
export const expiryErrors = ({
  expires_at,
  valid_for,
  ...errors
}: Record<string, string>): Record<string, string> => ({
  ...errors,
  ...(expires_at && { date: expires_at }),
  ...(valid_for && { expiry: valid_for }),
});
