import type { Reads } from '../../store/store.ts';

/** The records that refer to a product. */
export const PRODUCT_SOURCES = ['licenses', 'software', 'api_keys'] as const;
export type ProductSource = (typeof PRODUCT_SOURCES)[number];

export interface Product {
  id: number;
  /** Names of at most three software that cover the product. */
  names: string[];
  sources: ProductSource[];
}

/** Maximum number of products listed from each source. */
const OF_EACH = 200;

/** Lists products, lowest first. @param withApiKeys whether to include those that API keys are limited to */
export async function listProducts(
  { products, apiKeys }: Reads,
  withApiKeys: boolean,
): Promise<{ items: Product[]; isMore: boolean }> {
  const sources: Record<ProductSource, number[]> = {
    licenses: await products.ofLicenses(OF_EACH + 1),
    software: await products.ofSoftware(OF_EACH + 1),
    api_keys: withApiKeys ? productsOf(await apiKeys.list()) : [],
  };
  const known = new Map<number, ProductSource[]>();
  for (const source of PRODUCT_SOURCES)
    for (const id of sources[source].slice(0, OF_EACH)) known.set(id, [...(known.get(id) ?? []), source]);
  const ids = [...known.keys()].sort((one, other) => one - other);
  const names = await products.names(ids);
  return {
    items: ids.map((id) => ({ id, names: names.get(id) ?? [], sources: known.get(id) ?? [] })),
    isMore: Object.values(sources).some(({ length }) => length > OF_EACH),
  };
}

/** Returns the products of API keys that are not revoked. */
const productsOf = (apiKeys: Awaited<ReturnType<Reads['apiKeys']['list']>>): number[] =>
  [
    ...new Set(apiKeys.flatMap(({ products, revokedAt }) => (revokedAt === null ? (products ?? []) : []))),
  ].sort((one, other) => one - other);
