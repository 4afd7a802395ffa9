import type { TFunction } from 'i18next';
import { LicenseStatus } from '../../ui/licenses/LicenseStatus.tsx';
import { SOURCES } from '../../ui/licenses/license-status.ts';
import { ProductNumber } from '../../ui/products/ProductNumber.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { type Column, listColumns } from '../../ui/table/columns.ts';
import { KeyLink } from './KeyLink.tsx';
import styles from './license-columns.module.css';
import { placesText } from './license-words.ts';
import type { License } from './queries.ts';

export function Expiry({
  license: { expires_at, is_expired },
  t,
  isDay = false,
}: {
  license: Pick<License, 'expires_at' | 'is_expired'>;
  t: TFunction<'licenses'>;
  isDay?: boolean;
}) {
  if (expires_at === null) return <span>{t('never')}</span>;
  return (
    <span className={styles.expiry}>
      <Time value={expires_at} isDay={isDay} />
      {is_expired && <StatusBadge tone="warning">{t('expired')}</StatusBadge>}
    </span>
  );
}

/** Shows an email address. If it has to wrap, it breaks before the "@". */
export function Email({ address }: { address: string | null }) {
  if (address === null) return <span>–</span>;
  const [name, domain] = address.split('@');
  return (
    <span className={styles.email}>
      {name}
      <wbr />@{domain}
    </span>
  );
}

/** Shows the ID of a record in another system; a dash for null. */
const idCell = (id: number | null) => <span>{id ?? '–'}</span>;

export const licenseColumns = (t: TFunction<'licenses'>): Column<License>[] =>
  listColumns((id) => t(`column.${id}`), {
    key: { cell: ({ id, license_key }) => <KeyLink id={id} licenseKey={license_key} /> },
    status: { sort: 'status', cell: (license) => <LicenseStatus license={license} /> },
    expires: { sort: 'expires', cell: (license) => <Expiry license={license} t={t} isDay /> },
    activations: { align: 'end', cell: (license) => placesText(license, t) },
    product: { sort: 'product', cell: ({ product_id }) => <ProductNumber id={product_id} /> },
    order: { sort: 'order', align: 'end', isOffCard: true, cell: ({ order_id }) => idCell(order_id) },
    customer: {
      sort: 'customer',
      align: 'end',
      isWide: true,
      isOffCard: true,
      cell: ({ user_id }) => idCell(user_id),
    },
    email: { isHidden: true, cell: ({ customer_email }) => <Email address={customer_email} /> },
    source: { isHidden: true, cell: ({ source }) => t(`source.${SOURCES[source - 1] ?? 'api'}`) },
    created: {
      sort: 'created',
      isWide: true,
      isOffCard: true,
      cell: ({ created_at }) => <Time value={created_at} isDay />,
    },
    updated: { isHidden: true, cell: ({ updated_at }) => <Time value={updated_at} /> },
    id: { align: 'end', isHidden: true, cell: ({ id }) => id },
  });
