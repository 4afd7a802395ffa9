import { useHotkeys } from '@mantine/hooks';
import { useSpotlight } from '@mantine/spotlight';
import { useEffect, useState } from 'react';
import { lazyPart } from '../../ui/loading/lazy-part.tsx';
import { openPalette, palette, paletteStore } from './palette-store.ts';

const Palette = lazyPart(async () => (await import('./Palette.tsx')).Palette);
export const preloadPalette = (): void => void Palette.preload();

/** The command palette, which Mod+K opens. The modifier alone loads it. */
export function LazyPalette() {
  const { opened } = useSpotlight(paletteStore);
  const [isNeeded, setNeeded] = useState(false);
  if (opened && !isNeeded) setNeeded(true);
  useHotkeys([['mod + K', openPalette]], []);
  useEffect(() => {
    const onKey = ({ ctrlKey, metaKey }: KeyboardEvent) => {
      if (ctrlKey || metaKey) preloadPalette();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  const giveUp = () => {
    palette.close();
    setNeeded(false);
  };
  return isNeeded && <Palette onFail={giveUp} />;
}
