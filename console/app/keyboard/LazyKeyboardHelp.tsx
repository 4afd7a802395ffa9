import { useEffect, useState } from 'react';
import { lazyPart } from '../../ui/loading/lazy-part.tsx';
import { onKeyboardHelp } from './keyboard-help-store.ts';

const KeyboardHelp = lazyPart(async () => (await import('./KeyboardHelp.tsx')).KeyboardHelp);

/** The keyboard help, loaded when it is first opened. */
export function LazyKeyboardHelp() {
  /** `undefined` until the help was first opened. */
  const [isOpen, setOpen] = useState<boolean>();
  useEffect(() => onKeyboardHelp(async () => setOpen(await KeyboardHelp.ready())), []);
  return isOpen !== undefined && <KeyboardHelp isOpen={isOpen} onClose={() => setOpen(false)} />;
}
