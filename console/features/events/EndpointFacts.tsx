import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ProductNumbers } from '../../ui/products/ProductNumber.tsx';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';
import { PublicKey } from './MadeSecret.tsx';
import type { Endpoint } from './queries.ts';

/** Shows the configuration of an endpoint. */
export function EndpointFacts({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation('events');
  const { url, types, products, is_ordered, header_names, public_key, old_secret_until } = endpoint;
  const facts: [name: string, value: ReactNode][] = [
    ...(url === null ? [] : [[t('form.url'), url] as [string, ReactNode]]),
    [t('column.events'), types === null ? t('all') : types.join(', ')],
    [t('column.products'), products === null ? t('all') : <ProductNumbers key="products" ids={products} />],
    [t('column.created'), <Time key="created" value={endpoint.created_at} />],
    [t('facts.lastSeq'), endpoint.last_seq === 0 ? t('facts.none') : endpoint.last_seq],
  ];
  if (url !== null)
    facts.push(
      [t('form.isOrdered'), t(is_ordered ? 'facts.yes' : 'facts.no')],
      [t('headers.legend'), header_names.length === 0 ? t('facts.none') : header_names.join(', ')],
    );
  if (old_secret_until !== null)
    facts.push([t('facts.oldSecret'), <Time key="secret" value={old_secret_until} />]);
  return (
    <Section title={t('facts.title')}>
      <Stack>
        <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 3 }} m={0} spacing="md" verticalSpacing="sm">
          {facts.map(([name, value]) => (
            <div key={name}>
              <Text component="dt" size="xs" c="dimmed">
                {name}
              </Text>
              <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Text>
            </div>
          ))}
        </SimpleGrid>
        {public_key !== null && <PublicKey value={public_key} />}
      </Stack>
    </Section>
  );
}
