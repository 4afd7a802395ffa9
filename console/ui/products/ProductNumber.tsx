import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import styles from './ProductNumber.module.css';
import { useProducts } from './queries.ts';

/** A product by its number, and what its software is called; a dash for none. */
export function ProductNumber({ id }: { id: number | null }) {
  const { nameOf } = useProducts();
  if (id === null) return <span>–</span>;
  const name = nameOf(id);
  return (
    <span className={styles.product}>
      {id}
      {name !== null && (
        <Text span size="sm" c="dimmed" className={styles.name} title={name}>
          {' '}
          · {name}
        </Text>
      )}
    </span>
  );
}

/** Numbers listed at most where a cell of a table has them. */
const SHOWN = 5;

/** Products by their numbers; what they are called is shown to who points at them. */
export function ProductNumbers({ ids }: { ids: readonly number[] }) {
  const { t } = useTranslation('products');
  const { labelOf } = useProducts();
  const left = ids.length - SHOWN;
  return (
    <span title={ids.slice(0, 50).map(labelOf).join('\n')}>
      {ids.slice(0, SHOWN).join(', ')} {left > 0 && t('moreOf', { count: left })}
    </span>
  );
}
