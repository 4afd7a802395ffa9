import { encodeQR } from 'qr';
import { useMemo } from 'react';

/** The quiet zone that the QR code standard requires, in modules. */
const BORDER = 4;

interface Props {
  value: string;
  /** The accessible name. */
  label: string;
  /** The width in pixels. The code shrinks if there is less room. */
  size: number;
}

/** A QR code. Import it only in lazily loaded pages. */
export function QrCode({ value, label, size }: Props) {
  const { path, modules } = useMemo(() => drawn(value), [value]);
  return (
    <svg
      role="img"
      viewBox={`0 0 ${modules} ${modules}`}
      shapeRendering="crispEdges"
      style={{ width: size, maxWidth: '100%', height: 'auto', display: 'block' }}
    >
      <title>{label}</title>
      {/* Cameras need a dark code on a light background, even in dark mode. */}
      <path fill="#ffffff" d={`M0 0h${modules}v${modules}H0z`} />
      <path fill="#000000" d={path} />
    </svg>
  );
}

function drawn(value: string) {
  // Low: a screen has no stains, and fewer modules are easier to read.
  const rows = encodeQR(value, 'raw', { ecc: 'low', border: BORDER });
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return { path, modules: rows.length };
}
