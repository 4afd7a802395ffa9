import { useSyncExternalStore } from 'react';

const KEPT = 'latchkey-link';

let held: string | null = sessionStorage.getItem(KEPT);
const listeners = new Set<() => void>();

/** The secret token of the link that opened this window; null if there is none. */
export const heldToken = (): string | null => held;

/**
 * Like `heldToken`, for a component. Opening another link in this window changes only the hash of the address, without a
 * reload.
 */
export const useHeldToken = (): string | null => useSyncExternalStore(subscribe, heldToken);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Remembers the token. Session storage keeps it across reloads, because it is no longer in the address. */
export function holdToken(token: string): void {
  held = token;
  sessionStorage.setItem(KEPT, token);
  for (const listener of listeners) listener();
}

/** Forget a used or invalid link, so that a reload does not try it again. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEPT);
}

/** Drops the token without updating the shown page: its user continues to the console. */
export function dropToken(): void {
  held = null;
  forgetToken();
}
