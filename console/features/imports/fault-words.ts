import type { TFunction } from 'i18next';
import { reasonText } from '../../client/reasons.ts';
import { fieldWords, textOf } from '../../ui/change-words.ts';
import type { LineFault } from './rejected.ts';

/** The name of a field, with its unit or form in a file. */
export const parameterWords = (name: string): string =>
  textOf('imports', `parameter.${name}`) ?? fieldWords('license', name);

/** The errors of a line, by the column names of the file. @param mapping fields by column */
export function faultWords(
  faults: readonly LineFault[],
  mapping: Readonly<Record<string, string>>,
  t: TFunction<'imports'>,
): string {
  const columnOf = (parameter: string): string =>
    Object.keys(mapping).find((name) => mapping[name] === parameter) ?? parameterWords(parameter);
  return faults
    .map(({ parameter, ...problem }) => {
      const reason = reasonText(problem) ?? problem.code;
      return parameter === null ? reason : t('rejected.fault', { column: columnOf(parameter), reason });
    })
    .join(' ');
}
