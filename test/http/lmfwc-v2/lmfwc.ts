import assert from 'node:assert/strict';
import type { ApiKeyRights } from '../../../src/domain/api-key.ts';
import { type Api, createApi, type Record_ } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import type { Running } from '../../support/service.ts';

/** Returns a client of the lmfwc/v2 API with its own API key. */
export async function lmfwc(
  api: Running,
  lmfwcVersion: 2 | 3,
  rights: Partial<ApiKeyRights> = {},
): Promise<Api> {
  const { credentials } = await withApiKey(api, { ...rights, lmfwcVersion });
  return createApi(api.root.replace('dlm/v1', 'lmfwc/v2'), credentials);
}

/** Asserts that version 3 refuses a call inside a success. @returns the message */
export async function refusedInside(
  client: Api,
  path: string,
  code = 'lmfwc_rest_data_error',
): Promise<string> {
  const { errors, error_data }: Record_ = await client.ok('GET', path);
  assert.deepEqual(Object.keys(errors), [code]);
  assert.deepEqual(error_data, { [code]: { status: 404 } });
  const [text, ...more] = errors[code];
  assert.deepEqual(more, []);
  return text;
}

/** Returns the path of a call with a license key. */
export const to = (verb: string, key: string, token?: string) =>
  `/licenses/${verb}/${key}${token === undefined ? '' : `?token=${token}`}`;

/** Returns a function that creates a license with a limit, and an activation for each label. */
export const seatsOf =
  (api: Api) =>
  async (limit: number, labels: string[] = []) => {
    const license = await api.license({ activations_limit: limit, status: 3 });
    const tokens: string[] = [];
    for (const label of labels) tokens.push((await api.activation(license.license_key, { label })).token);
    return { key: license.license_key as string, id: license.id as number, tokens };
  };

/** Returns a function that reads the activation count of a license and the labels of its valid activations. */
export const stateIn = (api: Api) => async (key: string) => {
  const { times_activated: count, activations } = await api.ok('GET', `/licenses/${key}`);
  return [count, activations.map(({ label }: Record_) => label).sort()];
};
