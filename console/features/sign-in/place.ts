/** The page to return to after sign-in; only pages of the console. */
export const placeOf = (from: string | undefined): string => (from && /^\/(?![/\\])/.test(from) ? from : '/');
