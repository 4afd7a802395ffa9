import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';

/** Longer numbers are shown in scientific notation. */
const DIGITS_MAX = 15;

/** Formats a number of any length: "1,048,576", "about 1.2 × 10^24". */
export function possibleText(possible: string): string {
  if (possible.length <= DIGITS_MAX) return formatNumber(Number(possible));
  const { mantissa, power } = scientific(possible);
  return `≈ ${mantissa} × 10^${power}`;
}

const scientific = (digits: string) => ({
  mantissa: formatNumber(Number(`${digits[0]}.${digits.slice(1, 3)}`), { maximumFractionDigits: 1 }),
  power: digits.length - 1,
});

/** The number of possible keys. @param possible decimal digits */
export function PossibleKeys({ possible }: { possible: string }) {
  const { t } = useTranslation('generators');
  if (possible.length <= DIGITS_MAX)
    return <strong>{t('preview.possible', { count: possibleText(possible) })}</strong>;
  const { mantissa, power } = scientific(possible);
  return (
    <Tooltip label={possible} multiline maw={320} style={{ overflowWrap: 'anywhere' }}>
      <strong>
        ≈ {mantissa} × 10<sup>{power}</sup> {t('preview.possibleUnit')}
      </strong>
    </Tooltip>
  );
}
