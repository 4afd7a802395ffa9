const KEPT = 'latchkey-link';

let held: string | null = sessionStorage.getItem(KEPT);

/** The secret of the link by which this window was opened; nowhere else, and not after it was used. */
export const heldToken = (): string | null => held;

/** It outlasts the page being loaded anew, not the window: it is not in the address any more. */
export function holdToken(token: string): void {
  held = token;
  sessionStorage.setItem(KEPT, token);
}

/** A link that was used, or does not work, is not tried again when the page is loaded anew. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEPT);
}

export function dropToken(): void {
  held = null;
  forgetToken();
}
