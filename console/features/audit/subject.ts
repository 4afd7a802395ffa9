import type { TFunction } from 'i18next';
import type { Kind } from '../../ui/change-words.ts';

const KINDS = [
  'license',
  'event_endpoint',
  'software',
  'release',
  'generator',
  'api_key',
  'user',
] as const satisfies readonly Kind[];

/**
 * Parses a text that names a record into the server's form: `license:12` for 'license 12', 'License #12' or '12'.
 * @returns null if the text names no record
 */
export function subjectOf(text: string, t: TFunction<'audit'>): string | null {
  const [, kind = '', id = ''] = /^(.*?)[\s:#]*(\d{1,15})$/.exec(text.trim()) ?? [];
  if (id === '') return null;
  if (kind === '') return `license:${id}`;
  const named = kind.toLowerCase();
  const found = KINDS.find((one) =>
    [one, one.replace('_', ' '), t(`subject.${one}`).toLowerCase()].includes(named),
  );
  return found ? `${found}:${id}` : null;
}
