/** Wraps a list in a page without a next one, for a table of records that the API does not page. */
export const asPage = <List extends { items: unknown[] }>(list: List) => ({
  ...list,
  next: null,
  total: list.items.length,
  total_is_more: false,
});
