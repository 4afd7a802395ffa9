import { useEffect, useRef } from 'react';

/** The open dialogs, topmost last. */
const open: { current: () => void }[] = [];

// Every dialog listens at the window. This listener runs first, so that Escape closes only the topmost.
window.addEventListener(
  'keydown',
  (event) => {
    const top = open.at(-1);
    if (event.key !== 'Escape' || event.isComposing || !top) return;
    event.stopImmediatePropagation();
    top.current();
  },
  { capture: true },
);

/** Handles Escape for a dialog that may be above others. Set `closeOnEscape={false}` on that dialog. */
export function useEscape(isOpen: boolean, onEscape: () => void): void {
  const latest = useRef(onEscape);
  useEffect(() => {
    latest.current = onEscape;
  });
  useEffect(() => {
    if (!isOpen) return;
    open.push(latest);
    return () => void open.splice(open.indexOf(latest), 1);
  }, [isOpen]);
}
