/** Where somebody was who was sent to sign in: a page of the console, whatever the address says. */
export const placeOf = (from: string | undefined): string => (from && /^\/(?![/\\])/.test(from) ? from : '/');
