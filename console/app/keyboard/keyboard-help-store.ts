const OPEN = 'latchkey-keyboard-help';

/** Opens the list of keyboard shortcuts from anywhere. */
export const openKeyboardHelp = (): void => void window.dispatchEvent(new Event(OPEN));

/** @returns what ends the listening */
export function onKeyboardHelp(listener: () => void): () => void {
  window.addEventListener(OPEN, listener);
  return () => window.removeEventListener(OPEN, listener);
}
