import { Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { Time } from '../../../ui/Time.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { KeyLink } from '../KeyLink.tsx';
import { ActivationActions } from './ActivationActions.tsx';
import { ActivationState, SeatText } from './ActivationState.tsx';
import type { Activation } from './activation-queries.ts';

const SOURCES = ['console', 'api', 'migration'] as const;

/** @param withLicense whether to show the license; false in the list of a single license */
export const activationColumns = (
  t: TFunction<'activations'>,
  withLicense: boolean,
): Column<Activation>[] => [
  {
    id: 'label',
    header: t('label'),
    cell: ({ label }) =>
      label ? (
        <Text size="sm" miw={140} style={{ overflowWrap: 'anywhere' }}>
          {label}
        </Text>
      ) : (
        <Text size="sm" c="dimmed">
          {t('noLabel')}
        </Text>
      ),
  },
  ...(withLicense
    ? [
        {
          id: 'license',
          header: t('license'),
          cell: ({ license_id, license_key }: Activation) => (
            <KeyLink id={license_id} licenseKey={license_key} />
          ),
        },
      ]
    : []),
  {
    id: 'state',
    header: t('state'),
    cell: (activation) => <ActivationState activation={activation} />,
  },
  { id: 'seat', header: t('seat'), cell: (activation) => <SeatText activation={activation} /> },
  {
    id: 'lastSeen',
    header: t('lastSeen'),
    cell: ({ last_seen_at }) => <Time value={last_seen_at} isRelative />,
  },
  {
    id: 'software',
    header: t('software'),
    isHidden: withLicense,
    isWide: true,
    cell: ({ software_id, software_name }) =>
      software_name ?? (software_id === null ? '–' : t('softwareGone', { id: software_id })),
  },
  {
    id: 'address',
    header: t('address'),
    isWide: withLicense,
    cell: ({ ip_address }) => ip_address ?? '–',
  },
  {
    id: 'created',
    header: t('created'),
    isHidden: true,
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  {
    id: 'ended',
    header: t('ended'),
    isHidden: true,
    cell: ({ deactivated_at }) => <Time value={deactivated_at} />,
  },
  {
    id: 'source',
    header: t('source'),
    isHidden: true,
    cell: ({ source }) => t(`sources.${SOURCES[source - 1] ?? 'api'}`),
  },
  { id: 'userAgent', header: t('userAgent'), isHidden: true, cell: ({ user_agent }) => user_agent ?? '–' },
  {
    id: 'actions',
    header: t('actions'),
    align: 'end',
    cell: (activation) => <ActivationActions activation={activation} />,
  },
];
