import { CLIENT_PRESET, ENDPOINTS, type Endpoint } from '../domain/api-key.ts';
import type { Cells } from './cells.ts';
import { readPhp } from './php.ts';
import type { Plugin } from './shop.ts';

type Routes = Readonly<Record<string, Endpoint>>;

/** Returns routes with consecutive ids. */
const from = (first: number, endpoints: readonly Endpoint[]): Routes =>
  Object.fromEntries(endpoints.map((one, i) => [String(first + i).padStart(3, '0'), one]));

const LICENSES: Endpoint[] = ['licenses.list', 'licenses.get', 'licenses.create', 'licenses.update'];
const USED: Endpoint[] = ['licenses.activate', 'licenses.deactivate', 'licenses.validate'];
const GENERATORS: Endpoint[] = [
  'generators.list',
  'generators.get',
  'generators.create',
  'generators.update',
];

/** The routes of DLM by their ids. Earlier releases of DLM, and its Pro edition, may have others. */
const DLM: Routes = {
  ...from(10, [...LICENSES, 'licenses.delete', ...USED]),
  ...from(22, [...GENERATORS, 'generators.delete', 'generators.generate']),
};
/** LMFWC 3 gave the ids from 014 on to other routes. */
const LMFWC_2 = from(10, [...LICENSES, ...USED, ...GENERATORS]);
const LMFWC_3 = from(10, [...LICENSES, 'licenses.delete', ...USED, ...GENERATORS, 'generators.delete']);
/** The settings of LMFWC also enable routes of an API that it no longer has. */
const GONE = /^00\d$/;

/** The version of LMFWC whose routes a shop has. DLM's own `lmfwc/v2` API has those of version 2. */
export const lmfwcVersionOf = (plugin: Plugin, hasActivations: boolean): 2 | 3 =>
  plugin === 'lmfwc' && hasActivations ? 3 : 2;

/** The option of WordPress that enables the routes of LMFWC, for all its API keys. */
export const LMFWC_SETTINGS = 'lmfwc_settings_general';

/**
 * Reads what an API key may call.
 * @param settings the value of `LMFWC_SETTINGS`, if the plugin is LMFWC; null if it was not found
 */
export function endpointsOf(
  cells: Cells,
  plugin: Plugin,
  version: 2 | 3,
  settings: string | null,
): readonly Endpoint[] {
  if (plugin === 'lmfwc' && settings === null) {
    cells.note('unknown_routes', null);
    return CLIENT_PRESET.endpoints.filter((name) => name.startsWith('licenses.'));
  }
  const routes = plugin === 'dlm' ? DLM : version === 3 ? LMFWC_3 : LMFWC_2;
  const enabled = plugin === 'dlm' ? enabledOfDlm(cells) : enabledOfLmfwc(settings ?? '');
  for (const id of enabled)
    if (!(id in routes) && !GONE.test(id)) cells.note('unknown_endpoint', 'endpoints', id);
  const called = new Set(enabled.map((id) => routes[id]));
  const endpoints = ENDPOINTS.filter((endpoint) => called.has(endpoint));
  // Keys of shipped programs get no more than they had: docs/decisions/0018-blind-indexes.md.
  const isShipped = endpoints.every((endpoint) => CLIENT_PRESET.endpoints.includes(endpoint));
  return isShipped ? endpoints : ENDPOINTS.filter((one) => one === 'licenses.inspect' || called.has(one));
}

function enabledOfDlm(cells: Cells): string[] {
  const text = cells.raw('endpoints') ?? '';
  try {
    return enabledIn(JSON.parse(text));
  } catch {
    return enabledIn(readPhp(text));
  }
}

/** Ids of the routes that the settings of LMFWC enable. */
export const enabledOfLmfwc = (settings: string): string[] =>
  enabledIn((readPhp(settings) as { lmfwc_enabled_api_routes?: unknown } | null)?.lmfwc_enabled_api_routes);

/** PHP takes "0" for false. */
const enabledIn = (routes: unknown): string[] =>
  Object.entries(routes ?? {}).flatMap(([id, value]) => (value && value !== '0' ? [id] : []));
