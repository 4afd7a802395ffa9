import { changesOf } from '../../ui/forms/form-values.ts';
import type { ApiKey, ApiKeyInput, Endpoint } from './queries.ts';

export const KINDS = ['all', 'client', 'some'] as const;
export const PERMISSIONS = ['read', 'write', 'read_write'] as const;
export const COMPATIBILITIES = ['documented', 'plugin'] as const;
export const LMFWC_VERSIONS = ['3', '2'] as const;

export const NEW = {
  description: '',
  kind: 'all' as (typeof KINDS)[number],
  permission: 'read_write' as (typeof PERMISSIONS)[number],
  endpoints: [] as Endpoint[],
  /** Null for all products. */
  products: null as number[] | null,
  /** The expiry day, 'YYYY-MM-DD'; '' for no expiry. */
  expires_at: '',
  compatibility: 'documented' as (typeof COMPATIBILITIES)[number],
  lmfwc_version: '3' as (typeof LMFWC_VERSIONS)[number],
};
export type Values = typeof NEW;

/** Whether the key has exactly the access of a client program. */
export const isForClients = (
  { endpoints }: Pick<ApiKey, 'endpoints'>,
  clientEndpoints: readonly Endpoint[],
): boolean =>
  endpoints?.length === clientEndpoints.length && clientEndpoints.every((one) => endpoints.includes(one));

export function valuesOf(apiKey: ApiKey, clientEndpoints: readonly Endpoint[]): Values {
  const { description, permission, endpoints, products, compatibility, lmfwc_version, expires_at } = apiKey;
  const isClient = permission === 'read' && isForClients(apiKey, clientEndpoints);
  return {
    description,
    kind: endpoints === null ? 'all' : isClient ? 'client' : 'some',
    permission,
    endpoints: isClient ? [] : (endpoints ?? []),
    products,
    compatibility,
    lmfwc_version: lmfwc_version === 2 ? '2' : '3',
    expires_at: expires_at?.slice(0, 10) ?? '',
  };
}

export const inputOf = (
  { kind, permission, endpoints, lmfwc_version, expires_at, ...others }: Values,
  clientEndpoints: readonly Endpoint[],
): ApiKeyInput => ({
  ...others,
  permission: kind === 'client' ? 'read' : permission,
  endpoints: kind === 'all' ? null : kind === 'client' ? [...clientEndpoints] : endpoints,
  lmfwc_version: Number(lmfwc_version),
  expires_at: expires_at === '' ? null : `${expires_at} 23:59:59`,
});

/** Returns only the changed fields. The form shows only the day of the expiry, so an unchanged expiry keeps its time. */
export const changedInput = (
  before: Values,
  values: Values,
  clientEndpoints: readonly Endpoint[],
): Partial<ApiKeyInput> => changesOf(inputOf(before, clientEndpoints), inputOf(values, clientEndpoints));
