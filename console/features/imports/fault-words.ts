import i18next, { type TFunction } from 'i18next';
import { reasonText } from '../../client/reasons.ts';
import type { en } from '../../messages/en/index.ts';
import { fieldWords } from '../../ui/change-words.ts';
import type { LineFault } from './rejected.ts';
import type { Parameter } from './use-import.ts';

/** The label of a field of an import. */
export const parameterWords = (name: Parameter, t: TFunction<'imports'>): string =>
  i18next.exists(`imports:parameter.${name}`)
    ? t(`parameter.${name as keyof typeof en.imports.parameter}`)
    : fieldWords('license', name);

/** The errors of a line, by the column names of the file. @param mapping fields by column */
export function faultWords(
  faults: readonly LineFault[],
  mapping: Readonly<Record<string, string>>,
  t: TFunction<'imports'>,
): string {
  const columnOf = (parameter: string): string =>
    Object.keys(mapping).find((name) => mapping[name] === parameter) ??
    parameterWords(parameter as Parameter, t);
  return faults
    .map(({ parameter, ...problem }) => {
      const reason = reasonText(problem) ?? problem.code;
      return parameter === null ? reason : t('rejected.fault', { column: columnOf(parameter), reason });
    })
    .join(' ');
}
