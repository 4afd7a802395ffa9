/**
 * Returns a shade of a theme color for text that is readable (4.5:1) on a light tint of the same color. Some of Mantine's
 * own shades reach only 3:1.
 * @returns a CSS color for light and dark mode
 */
export function readableColor(color: string): string {
  const shade = (nth: number) => `var(--mantine-color-${color}-${nth})`;
  const onLight =
    color === 'gray'
      ? shade(7)
      : color === 'verdigris'
        ? shade(8)
        : `color-mix(in srgb, ${shade(9)} 70%, black)`;
  return `light-dark(${onLight}, ${shade(2)})`;
}
