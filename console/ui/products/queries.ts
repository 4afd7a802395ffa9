import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Answer, answer, api, type Item } from '../../client/api.ts';

export type Product = Item<'listProducts'>;

/** The known products, fetched once for all lists and forms. No retry: pages work without them. */
export const productsQuery = queryOptions({
  queryKey: ['products'],
  queryFn: ({ signal }) => answer(api.GET('/products', { signal })),
  staleTime: 60_000,
  retry: false,
});

export interface Products {
  /** In ascending order of their IDs. */
  items: readonly Product[];
  isMore: boolean;
  hasFailed: boolean;
  /** The ID and the name, "101 · Aurora Forms"; only the ID if no software covers the product. */
  labelOf(id: number): string;
  /** The name, "Aurora Forms"; null if no software covers the product. */
  nameOf(id: number): string | null;
}

/** The known products; empty while they load. */
export function useProducts(): Products {
  const { data, isError } = useQuery({ ...productsQuery, select: asProducts });
  return { ...(data ?? NONE), hasFailed: isError && data === undefined };
}

function asProducts({ items, is_more }: Answer<'listProducts'>): Omit<Products, 'hasFailed'> {
  const names = new Map(items.map(({ id, names }) => [id, nameOfAll(names)]));
  const nameOf = (id: number) => names.get(id) ?? null;
  const labelOf = (id: number) => [id, nameOf(id)].filter((one) => one !== null).join(' · ');
  return { items, isMore: is_more, nameOf, labelOf };
}
const NONE = asProducts({ items: [], is_more: false });

const NAMES_SHOWN = 2;
const nameOfAll = (names: readonly string[]): string | null =>
  names.length === 0
    ? null
    : names.slice(0, NAMES_SHOWN).join(', ') + (names.length > NAMES_SHOWN ? ' …' : '');

const NUMBER = /^\d{1,15}$/;
export const isNumber = (text: string): boolean => NUMBER.test(text);
