/** Reads and writes the query of the address as plain text values: `?status=active&before=12`. */

export const parseSearch = (query: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(query));

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  return query.size > 0 ? `?${query}` : '';
}
