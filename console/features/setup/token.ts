import { useSyncExternalStore } from 'react';

const KEPT = 'latchkey-link';

let held: string | null = sessionStorage.getItem(KEPT);
const listeners = new Set<() => void>();

/** The secret of the link that opened this window. */
export const heldToken = (): string | null => held;

/** The same for a component: another link may be opened in this window, which changes only the hash of the address. */
export const useHeldToken = (): string | null => useSyncExternalStore(subscribe, heldToken);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Session storage keeps it across reloads: it is no longer in the address. */
export function holdToken(token: string): void {
  held = token;
  sessionStorage.setItem(KEPT, token);
  for (const listener of listeners) listener();
}

/** Forget a used or invalid link, so that a reload does not try it again. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEPT);
}

/** Keeps the page as it is: its user goes on to the console. */
export function dropToken(): void {
  held = null;
  forgetToken();
}
