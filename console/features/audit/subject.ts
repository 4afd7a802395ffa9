import type { TFunction } from 'i18next';
import { type Kind, WITHOUT_ID } from '../../ui/change-words.ts';

/**
 * Parses a text that names a record into the server's form: `license:12` for 'license 12', 'License #12' or '12'.
 * @returns null if the text names no record
 */
export function subjectOf(text: string, t: TFunction<'audit'>): string | null {
  const [, kind = '', id = ''] = /^(.*?)[\s:#]*(\d{1,15})$/.exec(text.trim()) ?? [];
  if (id === '') return null;
  if (kind === '') return `license:${id}`;
  const named = kind.toLowerCase();
  const labels = t('subject', { returnObjects: true }) as Record<Kind, string>;
  const found = (Object.keys(labels) as Kind[]).find(
    (one) =>
      !WITHOUT_ID.includes(one) && [one, one.replace('_', ' '), labels[one].toLowerCase()].includes(named),
  );
  return found ? `${found}:${id}` : null;
}
