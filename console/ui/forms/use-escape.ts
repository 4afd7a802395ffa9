import { useEffect, useRef } from 'react';

/** What the key closes, the topmost last. */
const open: { current: () => void }[] = [];

// Every dialog listens for the key at the window. Before all of them, so that it closes the topmost and not the form below.
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

/** Has the Escape key do this alone while a dialog is open above others, which has `closeOnEscape={false}`. */
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
