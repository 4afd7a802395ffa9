import type { TFunction } from 'i18next';
import { changeWords, fieldWords, valueWords } from '../../ui/change-words.ts';
import type { Entry } from './queries.ts';

export type Values = NonNullable<Entry['after']>;

/** Describes the action of an entry. If another device has ended an activation, the text says how. */
export function actionText(t: TFunction<'audit'>, { action, about }: Entry): string {
  const as = about?.ended_as;
  if (as === 'reclaimed' || as === 'taken_over') return t(`ended.${as}`);
  return action === 'activation.extend' && about?.borrow_hours ? t('borrowed') : t(`action.${action}`);
}

const SHOWN = 3;

/** 'Status: Active → Disabled', or a count; the name for a created or deleted record. */
export function changeText({ subject_type: kind, before, after, about }: Entry): string {
  const valueText = ([name, value]: [string, unknown]) =>
    `${fieldWords(kind, name)}: ${valueWords(kind, name, value)}`;
  const told =
    before && after
      ? Object.keys(after).map((name) => changeWords(kind, name, before[name], after[name]))
      : naming(after ?? before ?? {}).map(valueText);
  const all = [...told, ...Object.entries(about ?? {}).map(valueText)];
  return all.length > SHOWN ? `${all.slice(0, SHOWN).join(', ')} …` : all.join(', ');
}

const NAMES = ['name', 'license_key', 'description', 'version', 'email', 'slug', 'product_id'];
const naming = (values: Values): [string, unknown][] =>
  NAMES.flatMap((name) => (values[name] ? [[name, values[name]] as [string, unknown]] : []));
