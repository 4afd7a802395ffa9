import { Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { AnchorLink } from '../../../ui/links.tsx';
import { Time } from '../../../ui/Time.tsx';
import { type Column, listColumns } from '../../../ui/table/columns.ts';
import { KeyLink } from '../KeyLink.tsx';
import { ActivationActions } from './ActivationActions.tsx';
import { ActivationState, SeatText } from './ActivationState.tsx';
import type { Activation } from './activation-queries.ts';

const SOURCES = ['console', 'api', 'migration'] as const;

/** @param withLicense whether to show the license; false in the list of a single license */
export const activationColumns = (t: TFunction<'activations'>, withLicense: boolean): Column<Activation>[] =>
  listColumns(
    t,
    {
      label: {
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
      license: {
        cell: ({ license_id, license_key }) => <KeyLink id={license_id} licenseKey={license_key} />,
      },
      state: { cell: (activation) => <ActivationState activation={activation} /> },
      seat: { cell: (activation) => <SeatText activation={activation} /> },
      lastSeen: { cell: ({ last_seen_at }) => <Time value={last_seen_at} isRelative /> },
      software: {
        isHidden: withLicense,
        isWide: true,
        cell: ({ software_id, software_name }) =>
          software_name ?? (software_id === null ? '–' : t('softwareGone', { id: software_id })),
      },
      address: {
        isWide: withLicense,
        cell: ({ ip_address: address }) =>
          address === null ? (
            '–'
          ) : (
            <AnchorLink to="/activations" search={{ address }} size="sm">
              {address}
            </AnchorLink>
          ),
      },
      created: { isHidden: true, cell: ({ created_at }) => <Time value={created_at} /> },
      ended: { isHidden: true, cell: ({ deactivated_at }) => <Time value={deactivated_at} /> },
      source: { isHidden: true, cell: ({ source }) => t(`sources.${SOURCES[source - 1] ?? 'api'}`) },
      userAgent: { isHidden: true, cell: ({ user_agent }) => user_agent ?? '–' },
      actions: { align: 'end', cell: (activation) => <ActivationActions activation={activation} /> },
    },
    withLicense ? [] : ['license'],
  );
