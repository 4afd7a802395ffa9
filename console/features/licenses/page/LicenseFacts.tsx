import { Anchor, Group, SimpleGrid, Skeleton, Text, Tooltip } from '@mantine/core';
import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/actions/CopyButton.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { SOURCES } from '../../../ui/licenses/license-status.ts';
import { leaseWords } from '../../../ui/licenses/license-terms.ts';
import { seatWords } from '../../../ui/licenses/seat-words.ts';
import { AnchorLink, IconLink } from '../../../ui/links.tsx';
import { ProductNumber } from '../../../ui/products/ProductNumber.tsx';
import { Time } from '../../../ui/Time.tsx';
import { Email } from '../license-columns.tsx';
import type { License } from '../queries.ts';
import styles from './LicenseFacts.module.css';

/** Eight short and four long fields make full rows of two, and twelve full rows of three. */
const COLUMNS = { base: 2, md: 3 };

/** All fields of a license with their labels. */
export function LicenseFacts({ license }: { license: License }) {
  const { t } = useTranslation('licenses');
  const { t: seats } = useTranslation('seats');
  const { t: terms } = useTranslation('terms');
  const facts: [name: string, value: ReactNode][] = [
    [t('column.product'), linked('product', license.product_id, <ProductNumber id={license.product_id} />)],
    [t('column.order'), linked('order', license.order_id)],
    [t('column.customer'), linked('customer', license.user_id)],
    [t('column.email'), license.customer_email !== null && <EmailFact address={license.customer_email} />],
    [t('column.source'), t(`source.${SOURCES[license.source - 1] ?? 'api'}`)],
    [t('column.validFor'), license.valid_for > 0 && formatDuration(license.valid_for, 'day')],
    [t('column.id'), license.id],
    [t('column.created'), <Time key="created" value={license.created_at} />],
    [t('column.updated'), <Time key="updated" value={license.updated_at} />],
    [terms('field.entitlements'), license.entitlements.join(' · ')],
    [t('column.seats'), seatWords(seats, license).join(' · ')],
    [terms('leases'), leaseWords(terms, license).join(' · ')],
  ];
  return (
    <SimpleGrid component="dl" cols={COLUMNS} spacing="md" m={0}>
      {facts.map(([name, value], i) => (
        <div key={name} className={classOf(i)}>
          <Text component="dt" size="xs" c="dimmed" fw={600}>
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
            {value || '–'}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

/** A link to the licenses with the same value. */
const linked = (name: 'product' | 'order' | 'customer', id: number | null, text: ReactNode = id) =>
  id !== null && (
    <AnchorLink key={name} to="/licenses" search={{ [name]: id }} size="sm">
      {text}
    </AnchorLink>
  );

function EmailFact({ address }: { address: string }) {
  const { t } = useTranslation('licenses');
  return (
    <Group component="span" gap={4} wrap="nowrap">
      <Anchor size="sm" href={`mailto:${encodeURIComponent(address).replace('%40', '@')}`}>
        <Email address={address} />
      </Anchor>
      {/* The negative margin evens out the buttons, which are taller than a line of text. */}
      <Group component="span" gap={4} wrap="nowrap" my={-4}>
        <CopyButton value={address} label={t('copyEmail')} />
        <Tooltip label={t('sameEmail')}>
          <IconLink to="/licenses" search={{ search: `email:<${address}>` }} aria-label={t('sameEmail')}>
            <Search size={16} />
          </IconLink>
        </Tooltip>
      </Group>
    </Group>
  );
}

/** The number of fields. */
const FACTS = 12;
/** The places of the product, email address, seats and leases: each takes a whole row where there are two columns. */
const LONG = [0, 3, 10, 11];
const classOf = (place: number) => (LONG.includes(place) ? `${styles.fact} ${styles.long}` : styles.fact);

/** A placeholder of the final height. */
export function FactsSkeleton() {
  return (
    <SimpleGrid cols={COLUMNS} spacing="md" aria-busy>
      {Array.from({ length: FACTS }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all items are equal
        <Skeleton key={i} height={FACT_HEIGHT} className={classOf(i)} />
      ))}
    </SimpleGrid>
  );
}
/** The height of a field, in pixels. */
const FACT_HEIGHT = 39;
