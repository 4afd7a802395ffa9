const OPEN = 'latchkey-keyboard-help';

/** Opens the keyboard help from anywhere. */
export const openKeyboardHelp = (): void => void window.dispatchEvent(new Event(OPEN));

/** @returns a function that stops listening */
export function onKeyboardHelp(listener: () => void): () => void {
  window.addEventListener(OPEN, listener);
  return () => window.removeEventListener(OPEN, listener);
}
