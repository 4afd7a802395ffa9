import i18next from 'i18next';

/** The user's locale of the shown language: dates differ between en-GB and en-US. */
export const localeOf = (language: string): string =>
  navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language;

const locale = (): string => localeOf(i18next.language);

export const formatNumber = (value: number, options?: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(locale(), options).format(value);

/**
 * Parses a time.
 * @param value 'YYYY-MM-DD HH:MM:SS' in UTC
 */
export const instantOf = (value: string): Date => new Date(`${value.replace(' ', 'T')}Z`);

/** Formats a time in the user's time zone, to the minute. */
export const formatTime = (value: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(instantOf(value));

/** Formats the day of a time, in the user's time zone. */
export const formatDate = (value: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(instantOf(value));

/** Formats a calendar day ('YYYY-MM-DD'), which has no time zone. */
export const formatDay = (day: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );

/** A short day: '3 May'. */
export const formatShortDay = (day: string): string =>
  new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );

const UNITS: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** 'in 3 days', '2 hours ago', 'now'. */
export function formatRelative(value: string, now: number = Date.now()): string {
  const seconds = (instantOf(value).getTime() - now) / 1000;
  // Show up to two years in months: 'in 1 year' would hide half a year.
  const unit = UNITS.find(([name, size]) => Math.abs(seconds) >= size * (name === 'year' ? 2 : 1));
  // Use no words except 'now': 'next year' or 'yesterday' refer to the calendar, and in November, 15 months ahead is not
  // 'next year'.
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: unit ? 'always' : 'auto' });
  return unit ? format.format(Math.round(seconds / unit[1]), unit[0]) : format.format(0, 'second');
}

const SECONDS = { day: 86_400, hour: 3_600, minute: 60, second: 1 } as const;
export type DurationUnit = keyof typeof SECONDS;

/** Splits a duration into a whole number of the largest unit: 5,400 seconds are 90 minutes. */
export function durationParts(seconds: number): { amount: number; unit: DurationUnit } {
  const units = Object.keys(SECONDS) as DurationUnit[];
  const unit = units.find((one) => seconds % SECONDS[one] === 0) ?? 'second';
  return { amount: seconds / SECONDS[unit], unit };
}

export const secondsOf = (amount: number, unit: DurationUnit): number => amount * SECONDS[unit];

/** Formats a duration: '90 minutes'. Hours and days keep their unit; seconds become the largest unit that divides them. */
export function formatDuration(value: number, of: DurationUnit): string {
  const { amount, unit } = of === 'second' ? durationParts(value) : { amount: value, unit: of };
  return formatNumber(amount, { style: 'unit', unit, unitDisplay: 'long' });
}

const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** '1.4 MB' */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), BYTES.length - 1);
  return formatNumber(bytes / 1000 ** power, {
    style: 'unit',
    unit: BYTES[power] as string,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  });
}
