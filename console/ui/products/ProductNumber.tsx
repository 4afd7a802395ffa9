import { useTranslation } from 'react-i18next';
import styles from './ProductNumber.module.css';
import { useProducts } from './queries.ts';

/** A product ID with the name of its software; a dash for none. */
export function ProductNumber({ id }: { id: number | null }) {
  const { nameOf } = useProducts();
  if (id === null) return <span>–</span>;
  const name = nameOf(id);
  return (
    <span className={styles.product}>
      {id}
      {name !== null && (
        <span className={styles.name} title={name}>
          {' '}
          · {name}
        </span>
      )}
    </span>
  );
}

/** The most IDs that a table cell lists. */
const SHOWN = 5;

/** Product IDs, with names in a tooltip. */
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
