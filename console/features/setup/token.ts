let held: string | null = null;

/** The secret of a link, while its page is open; nowhere else. */
export const heldToken = (): string | null => held;

export function holdToken(token: string): void {
  held = token;
}

export function dropToken(): void {
  held = null;
}
