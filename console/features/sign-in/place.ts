/** Returns the page to open after sign-in. Accepts only addresses within the console. */
export const placeOf = (from: string | undefined): string => (from && /^\/(?![/\\])/.test(from) ? from : '/');
