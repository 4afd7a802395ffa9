/** A customer's program in TypeScript. The types of its calls come from the document. */
export const CUSTOMER_PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

export async function useLicense(baseUrl: string, authorization: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization } });
  const license_key = 'CLIENT-0001';
  const created = await client.POST('/licenses', {
    body: { license_key, valid_for: 30, status: 'active', activations_limit: 1 },
  });
  const activated = await client.GET('/licenses/activate/{license_key}', {
    params: { path: { license_key }, query: { label: 'A & B', meta: { os: 'linux', nested: 'a=b&c' } } },
  });
  const activation: components['schemas']['LicensedActivation'] | undefined = activated.data?.data;
  const activation_token: string = activation?.token ?? '';
  const path = { activation_token };
  const validated = await client.GET('/licenses/validate/{activation_token}', { params: { path } });
  const isGood: boolean = validated.data?.data.license.is_expired === false;
  const full = await client.GET('/licenses/activate/{license_key}', { params: { path: { license_key } } });
  const problem: components['schemas']['Error'] | undefined = full.error;
  // Records are sent back as they came. Null clears a value, if it can be cleared.
  const values: components['schemas']['UpdateLicense'] = { ...activation?.license, expires_at: null };
  const updated = await client.PUT('/licenses/{license_key}', { params: { path: { license_key } }, body: values });
  const expires = updated.data?.data.expires_at;
  // @ts-expect-error
  values.status = null;
  const keys: string[] = [];
  for (let before: number | undefined, pages = 0; pages < 10; pages++) {
    const query = { per_page: 2, 'status[]': [3, 'sold'], ...(before !== undefined && { before }) };
    const { data, response } = await client.GET('/licenses', { params: { query } });
    keys.push(...(data?.data ?? []).map((one) => one.license_key));
    before = data?.data.at(-1)?.id;
    if (!response.headers.get('link')?.includes('rel="next"')) break;
  }
  // The values in an audit entry may have any name.
  const after: components['schemas']['AuditEntry']['after'] = { license_key };
  const deactivated = await client.GET('/licenses/deactivate/{activation_token}', { params: { path } });
  const at: string | null | undefined = deactivated.data?.data.deactivated_at;
  return { created: created.response.status, meta: activation?.meta_data, isGood, problem, expires, keys, at, after };
}
`;
