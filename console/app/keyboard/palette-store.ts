import { createSpotlight } from '@mantine/spotlight';

/** Opens and closes the command palette from anywhere. */
export const [paletteStore, palette] = createSpotlight();
export const openPalette = (): void => palette.open();
