import type { TFunction } from 'i18next';
import { reasonText } from '../../client/reasons.ts';
import type { LineFault } from './rejected.ts';
import type { Parameter } from './use-import.ts';

/** The errors of a line, by the column names of the file. @param mapping fields by column */
export function faultWords(
  faults: readonly LineFault[],
  mapping: Readonly<Record<string, string>>,
  t: TFunction<'imports'>,
): string {
  const columnOf = (parameter: string): string =>
    Object.keys(mapping).find((name) => mapping[name] === parameter) ??
    t(`parameter.${parameter as Parameter}`);
  return faults
    .map(({ parameter, ...problem }) => {
      const reason = reasonText(problem) ?? problem.code;
      return parameter === null ? reason : t('rejected.fault', { column: columnOf(parameter), reason });
    })
    .join(' ');
}
