import { Alert, Button, Group, Stack, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { LicenseStatus } from '../../ui/licenses/LicenseStatus.tsx';
import { AnchorLink } from '../../ui/links.tsx';
import { ProductNumber } from '../../ui/products/ProductNumber.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import type { OfflineText } from './queries.ts';

interface Props {
  said: OfflineText;
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
  onBack: () => void;
}

/** Shows the content of a request or receipt before the user confirms it. */
export function Review({ said, isBusy, error, onConfirm, onBack }: Props) {
  const { t } = useTranslation('offline');
  const { t: licenses } = useTranslation('licenses');
  const { kind, made_at, label, fingerprint, product_id, license, activation } = said;
  const { id, license_key: key, times_activated: taken, activations_limit: limit } = license;
  const facts: [name: string, value: ReactNode][] = [
    [t('fact.device'), label ?? t('fact.noLabel')],
    ...(fingerprint === null ? [] : [[t('fact.fingerprint'), fingerprint] as [string, ReactNode]]),
    [
      t('fact.license'),
      <Group key="license" gap="xs">
        <AnchorLink to="/licenses/$id" params={{ id: String(id) }} size="sm" ff="monospace">
          {key}
        </AnchorLink>
        <LicenseStatus license={license} />
      </Group>,
    ],
    [
      t('fact.product'),
      product_id === null ? t('fact.anyProduct') : <ProductNumber key="product" id={product_id} />,
    ],
    [
      licenses('column.expires'),
      license.expires_at === null ? licenses('never') : <Time key="expires" value={license.expires_at} />,
    ],
    [
      licenses('column.activations'),
      limit === 0 ? licenses('unlimited', { taken }) : licenses('ofLimit', { taken, limit }),
    ],
    [t('fact.made'), <Time key="made" value={made_at} />],
  ];
  return (
    <Section title={t(`review.${kind}`)} description={t(`review.${kind}Hint`)}>
      <Stack>
        <Table withRowBorders={false} verticalSpacing={6} horizontalSpacing={0}>
          <Table.Tbody>
            {facts.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" w="35%" fw={500} c="dimmed" style={{ verticalAlign: 'top' }}>
                  {name}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere', verticalAlign: 'top' }}>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {kind === 'request' && activation && (
          <Alert variant="light" color="blue">
            {t('review.hasSeat')}
          </Alert>
        )}
        {kind === 'receipt' && activation?.deactivated_at && (
          <Alert variant="light" color="blue">
            {t('review.hasEnded')}
          </Alert>
        )}
        {error != null && <ErrorState error={error} />}
        <Group>
          <Button onClick={onConfirm} loading={isBusy}>
            {t(`review.${kind}Action`)}
          </Button>
          <Button variant="default" onClick={onBack} disabled={isBusy}>
            {t('review.back')}
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}
