import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { CalendarPlus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { useUndo } from '../../app/use-undo.ts';
import { errorToast } from '../../ui/feedback/toasts.tsx';
import { formatNumber, formatTime } from '../../ui/format.ts';
import { LicenseStatus } from '../../ui/licenses/LicenseStatus.tsx';
import { AnchorLink } from '../../ui/links.tsx';
import { useProducts } from '../../ui/products/queries.ts';
import { Time } from '../../ui/Time.tsx';
import styles from './Dashboard.module.css';
import { Panel } from './Panel.tsx';
import { type Dashboard, type ExpiringLicense, useExtend } from './queries.ts';

const MONTH_DAYS = 30;
const YEAR_DAYS = 365;

/** The licenses that expire next, with an action to extend each. */
export function ExpiringSoon({
  expiring,
  product,
}: Pick<Dashboard, 'expiring'> & { product?: number | undefined }) {
  const { t } = useTranslation('dashboard');
  const { items, total, total_is_more, within_days } = expiring;
  const shown = {
    shown: formatNumber(items.length),
    total: formatNumber(total) + (total_is_more ? '+' : ''),
    days: formatNumber(within_days),
  };
  return (
    <Panel title={t('expiring.title')}>
      {items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('expiring.none', { count: within_days })}
        </Text>
      ) : (
        <>
          <ul className={styles.list}>
            {items.map((license) => (
              <Expiring key={license.id} license={license} />
            ))}
          </ul>
          <AnchorLink
            to="/licenses"
            search={{ expiry: 'soon', product }}
            size="xs"
            mt="xs"
            display="inline-block"
          >
            {t('expiring.more', shown)}
          </AnchorLink>
        </>
      )}
    </Panel>
  );
}

function Expiring({ license }: { license: ExpiringLicense }) {
  const { t } = useTranslation('dashboard');
  const { can } = useSession();
  const { labelOf } = useProducts();
  const { id, license_key, product_id, order_id, expires_at } = license;
  const about = [
    product_id !== null && t('expiring.product', { id: labelOf(product_id) }),
    order_id !== null && t('expiring.order', { id: order_id }),
  ].filter(Boolean);
  return (
    <Group component="li" justify="space-between" wrap="nowrap">
      <Stack gap={0} miw={0}>
        <Group gap="xs">
          <AnchorLink to={`/licenses/${id}` as string} size="sm">
            {t('expiring.license')} {id}{' '}
            <Text span ff="monospace" size="sm">
              {license_key}
            </Text>
          </AnchorLink>
          <LicenseStatus license={license} />
        </Group>
        <Text size="xs" c="dimmed">
          {about.join(' · ')}
          {about.length > 0 && ' · '}
          <Time value={expires_at} isRelative />
        </Text>
      </Stack>
      {can('licenses.write') && <ExtendMenu license={license} />}
    </Group>
  );
}

function ExtendMenu({ license: { id } }: { license: ExpiringLicense }) {
  const { t } = useTranslation('dashboard');
  const { mutateAsync, isPending } = useExtend();
  const offerUndo = useUndo();
  // `mutate` would drop its callbacks if the extended license leaves the list.
  const extend = (days: number) =>
    mutateAsync({ id, days }).then((extended) => {
      if (extended?.set_expires_at)
        offerUndo(t('expiring.extended', { time: formatTime(extended.set_expires_at) }), [extended]);
    }, errorToast);
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          loading={isPending}
          style={{ flexShrink: 0 }}
          leftSection={<CalendarPlus size={14} />}
          aria-label={t('expiring.extendOf', { id })}
        >
          {t('expiring.extend')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => extend(MONTH_DAYS)}>{t('expiring.month')}</Menu.Item>
        <Menu.Item onClick={() => extend(YEAR_DAYS)}>{t('expiring.year')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
