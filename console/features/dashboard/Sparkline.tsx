import styles from './Dashboard.module.css';

const WIDTH = 100;
const HEIGHT = 28;

/** A small line chart without a scale, because the charts below have one. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const points = values.map(
    (value, i) =>
      `${(i / Math.max(1, values.length - 1)) * WIDTH},${HEIGHT - 1 - (value / most) * (HEIGHT - 2)}`,
  );
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
      className={styles.sparkline}
    >
      <polyline points={points.join(' ')} />
    </svg>
  );
}
