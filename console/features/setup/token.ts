const KEPT = 'latchkey-link';

let held: string | null = sessionStorage.getItem(KEPT);

/** The secret of the link that opened this window. */
export const heldToken = (): string | null => held;

/** Session storage keeps it across reloads: it is no longer in the address. */
export function holdToken(token: string): void {
  held = token;
  sessionStorage.setItem(KEPT, token);
}

/** Forget a used or invalid link, so that a reload does not try it again. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEPT);
}

export function dropToken(): void {
  held = null;
  forgetToken();
}
