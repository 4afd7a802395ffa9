import i18next, { type TFunction } from 'i18next';
import { formatNumber, formatTime } from '../../ui/format.ts';
import type { Entry } from './queries.ts';

type Texts = TFunction<'audit'>;
export type Values = NonNullable<Entry['after']>;

/** What a value is called; by its name on the wire where nobody has given it another. */
export function fieldText(t: Texts, name: string): string {
  const key = `field.${name}`;
  return i18next.exists(key, { ns: 'audit' }) ? t(key as 'field.name') : name.replaceAll('_', ' ');
}

const DATETIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

export function valueText(t: Texts, value: unknown): string {
  if (value === null || value === undefined || value === '') return t('entry.none');
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (typeof value === 'string') return DATETIME.test(value) ? formatTime(value) : value;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Who did it: a user, or a program with an API key. */
export function whoText(t: Texts, { user_id, user_name, api_key_id, api_key_description }: Entry): string {
  if (api_key_id !== null) return t('withKey', { name: api_key_description || formatNumber(api_key_id) });
  return user_name ?? t('gone', { id: user_id });
}

const SHOWN = 3;

/** 'Status 3 → 5', or how many; of a record that was made or deleted it is told which. */
export function changeText(t: Texts, { before, after, about }: Entry): string {
  const told =
    before && after
      ? Object.keys(after).map((name) => {
          const [was, is] = [before[name], after[name]].map((value) => valueText(t, value));
          return `${fieldText(t, name)} ${was} → ${is}`;
        })
      : naming(after ?? before ?? {}).map(([name, value]) => `${fieldText(t, name)} ${valueText(t, value)}`);
  const more = Object.entries(about ?? {}).map(
    ([name, value]) => `${fieldText(t, name)} ${valueText(t, value)}`,
  );
  const all = [...told, ...more];
  return all.length > SHOWN ? `${all.slice(0, SHOWN).join(', ')} …` : all.join(', ');
}

const NAMES = ['name', 'license_key', 'description', 'version', 'email', 'slug', 'product_id'];
const naming = (values: Values): [string, unknown][] =>
  NAMES.flatMap((name) => (values[name] ? [[name, values[name]] as [string, unknown]] : []));
