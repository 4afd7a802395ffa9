import type { TFunction } from 'i18next';
import { reasonText } from '../../client/reasons.ts';
import type { LineFault } from './rejected.ts';
import type { Parameter } from './use-import.ts';

/** What is wrong with a line, by the names that its columns have in the file. @param mapping their parameters */
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
