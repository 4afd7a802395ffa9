import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
  parseThemeColor,
} from '@mantine/core';
import i18next from 'i18next';
import { readableColor } from '../ui/readable-color.ts';

/** Verdigris, the patina of brass keys. White text is readable on shade 7 (5.9:1), black text on shade 4. */
const verdigris: MantineColorsTuple = [
  '#eaf7f5',
  '#d3ece8',
  '#a6d8d1',
  '#74c3b8',
  '#4db1a4',
  '#2c9b8d',
  '#17857a',
  '#0c6b62',
  '#0a5650',
  '#07423d',
];

/** Mantine's dark colors, from text to background, with a green tint. */
const dark: MantineColorsTuple = [
  '#dfe5e4',
  '#b9c3c1',
  '#9aa6a4',
  '#6f7c7a',
  '#47524f',
  '#36403e',
  '#252d2b',
  '#1b2221',
  '#141a19',
  '#0e1312',
];

/** A field that gets the focus must not hide, with its label, behind the sticky header of the dialog. */
const BELOW_HEADER = { content: { scrollPaddingBlockStart: 120 } };

const closeLabel = () => ({ 'aria-label': i18next.t('close') });

export const theme = createTheme({
  primaryColor: 'verdigris',
  primaryShade: { light: 7, dark: 4 },
  colors: { verdigris, dark },
  autoContrast: true,
  luminanceThreshold: 0.36,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.1875rem', lineHeight: '1.35' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  components: {
    // Without this, an unnamed placeholder gets the focus instead of the first item.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { styles: BELOW_HEADER } },
    Drawer: { defaultProps: { position: 'right', size: 'lg', styles: BELOW_HEADER } },
    // A <header> in a dialog must not be a second banner landmark.
    ModalHeader: { defaultProps: { role: 'none' } },
    DrawerHeader: { defaultProps: { role: 'none' } },
    // Functions, because the language may change.
    ModalCloseButton: { defaultProps: closeLabel },
    DrawerCloseButton: { defaultProps: closeLabel },
    Notification: { defaultProps: () => ({ closeButtonProps: closeLabel() }) },
  },
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const { isThemeColor, color, shade } = parseThemeColor({
      color: input.color || input.theme.primaryColor,
      theme: input.theme,
    });
    // Mantine considers only the light-mode shade.
    if (color === 'verdigris' && shade === undefined && input.variant === 'filled')
      return { ...colors, color: 'light-dark(#ffffff, #0e1312)' };
    if (!isThemeColor || !['light', 'subtle', 'outline', 'transparent'].includes(input.variant))
      return colors;
    return { ...colors, color: readableColor(color) };
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#56615f',
    '--mantine-color-placeholder': '#697472',
    '--mantine-color-error': '#c22525',
    '--mantine-color-body': '#fbfcfc',
    '--mantine-color-anchor': 'var(--mantine-color-verdigris-7)',
    '--latchkey-panel': '#ffffff',
    '--latchkey-edge': '#dfe5e4',
    '--latchkey-hover': '#f1f6f5',
  },
  dark: {
    '--mantine-color-dimmed': '#a3afad',
    '--mantine-color-placeholder': '#8f9b99',
    '--mantine-color-error': '#ff8f8f',
    '--mantine-color-body': '#121817',
    '--mantine-color-anchor': 'var(--mantine-color-verdigris-3)',
    '--latchkey-panel': '#19201f',
    '--latchkey-edge': '#2f3937',
    '--latchkey-hover': '#202927',
  },
});

/** Keep the key in sync with public/color-scheme.js. */
export const colorScheme = localStorageColorSchemeManager({ key: 'latchkey-color-scheme' });
