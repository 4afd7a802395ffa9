import { SimpleGrid, Stack, TagsInput, Text } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EXACT_TEXT } from '../forms/exact-text.ts';
import { WholeNumber } from '../forms/WholeNumber.tsx';
import { DEFAULT_TERMS, LEASE_NAMES, type LicenseTerms } from './license-terms.ts';
import { SeatFields } from './SeatFields.tsx';

interface Props {
  inputProps: (name: keyof LicenseTerms) => GetInputPropsReturnType;
  /** Whether the terms belong to a generator, which copies them to its licenses. */
  isOfGenerator?: boolean;
}

/** The fields of the terms, in the forms of licenses and generators. */
export function TermsFields({ inputProps, isOfGenerator = false }: Props) {
  const { t } = useTranslation('terms');
  return (
    <>
      {isOfGenerator && (
        <Text size="sm" c="dimmed">
          {t('ofGenerator')}
        </Text>
      )}
      <TagsInput
        label={t('field.entitlements')}
        description={t('hint.entitlements')}
        splitChars={[',', ' ']}
        {...EXACT_TEXT}
        {...inputProps('entitlements')}
      />
      <SeatFields inputProps={inputProps} />
      <LeaseFields inputProps={inputProps} />
    </>
  );
}

/** The server's bounds. */
const BOUNDS = {
  lease_days: [1, 3_660],
  lease_refresh_hours: [1, 8_784],
  lease_grace_days: [0, 366],
  offline_lease_days: [1, 3_660],
} as const;

/** The fields of lease lifetimes. They start collapsed unless a lifetime differs from its default. */
function LeaseFields({ inputProps }: Pick<Props, 'inputProps'>) {
  const { t } = useTranslation('terms');
  const [isOpen] = useState(() =>
    LEASE_NAMES.some((name) => {
      const { value, defaultValue } = inputProps(name);
      return Number(value ?? defaultValue) !== DEFAULT_TERMS[name];
    }),
  );
  return (
    <details open={isOpen}>
      <Text component="summary" size="sm" fw={600}>
        {t('leases')}
      </Text>
      <Stack mt="xs">
        <Text size="sm" c="dimmed">
          {t('hint.leases')}
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
          {LEASE_NAMES.map((name) => (
            <WholeNumber
              key={name}
              label={t(`field.${name}`)}
              description={t(`hint.${name}`)}
              min={BOUNDS[name][0]}
              max={BOUNDS[name][1]}
              {...inputProps(name)}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </details>
  );
}
