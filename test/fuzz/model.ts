import { DEFAULT_TERMS } from '../support/http/api.ts';

/**
 * The contract for licenses and activations as an in-memory model. It is written from the contract and its
 * source document and shares no code with the service. Ids and tokens are unknown until the service answers.
 */
export interface Caller {
  /** Null for all products. */
  products: readonly number[] | null;
  permission: 'read' | 'write' | 'read_write';
  endpoints: readonly string[] | null;
}
export interface License {
  id: number;
  license_key: string;
  order_id: number | null;
  product_id: number | null;
  user_id: number | null;
  expires_at: string | null;
  valid_for: number;
  source: number;
  status: number;
  activations_limit: number;
  created_at: string;
  created_by: number;
  updated_at: string | null;
  updated_by: number | null;
}
export interface Activation {
  id: number;
  token: string;
  license_id: number;
  software_id: number | null;
  label: string | null;
  meta_data: unknown;
  created_at: string;
  updated_at: string | null;
  deactivated_at: string | null;
  last_seen_at: string | null;
}
export interface Software {
  id: number;
  name: string;
  slug: string;
  product_ids: number[];
  access: string;
  releases: { id: number; version: string; status: string }[];
}
export interface Generator {
  id: number;
  name: string;
  charset: string;
  chunk_length: number;
  activations_limit: number;
  expires_in: number;
}
export interface State {
  licenses: License[];
  activations: Activation[];
  software: Software[];
  generators: Generator[];
}
export const emptyState = (): State => ({ licenses: [], activations: [], software: [], generators: [] });

/** A refusal that the contract defines, with its status and code. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code = 'data_error') {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

const DAY_MS = 86_400_000;
export const textOf = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
const millisecondsOf = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);

export function authorize(caller: Caller, endpoint: string, access: 'read' | 'write'): void {
  if (caller.permission !== 'read_write' && caller.permission !== access)
    throw new Refused(401, 'authentication_error');
  if (caller.endpoints && !caller.endpoints.includes(endpoint)) throw new Refused(403, 'permission_denied');
}

const reaches = ({ products }: Caller, productId: number | null): boolean =>
  products === null || (productId !== null && products.includes(productId));
export const reachesSoftware = ({ products }: Caller, { product_ids }: Software): boolean =>
  products === null || product_ids.some((id) => products.includes(id));
const covers = ({ product_ids }: Software, { product_id }: License): boolean =>
  product_ids.length === 0 || (product_id !== null && product_ids.includes(product_id));

export const validOnes = (state: State, license: License): Activation[] =>
  state.activations.filter((one) => one.license_id === license.id && one.deactivated_at === null);
const isExpired = (license: License, now: number): boolean =>
  license.expires_at !== null && now > millisecondsOf(license.expires_at);

export function presentLicense(state: State, license: License, now: number) {
  const times_activated = validOnes(state, license).length;
  return {
    ...license,
    ...DEFAULT_TERMS,
    times_activated,
    is_expired: isExpired(license, Math.floor(now / 1_000) * 1_000),
  };
}
export function presentActivation(activation: Activation) {
  return { ...activation, seat_expires_at: null, source: 2, ip_address: '127.0.0.1' };
}

export function findLicense(state: State, caller: Caller, key: string): License {
  const found = state.licenses.find((one) => one.license_key === key);
  if (!found || !reaches(caller, found.product_id)) throw new Refused(404);
  return found;
}
function findActivation(state: State, caller: Caller, token: string): [Activation, License] {
  const activation = state.activations.find((one) => one.token === token);
  const license = state.licenses.find((one) => one.id === activation?.license_id);
  if (!activation || !license || !reaches(caller, license.product_id)) throw new Refused(404);
  return [activation, license];
}

export type LicenseValues = Partial<
  Pick<
    License,
    'license_key' | 'order_id' | 'product_id' | 'expires_at' | 'valid_for' | 'status' | 'activations_limit'
  >
>;

export function createLicense(state: State, caller: Caller, values: LicenseValues, now: number): License {
  const { license_key = '', valid_for = 0, status = 3, activations_limit = 0, product_id = null } = values;
  if (!reaches(caller, product_id)) throw new Refused(422);
  if (state.licenses.some((one) => one.license_key === license_key)) throw new Refused(409);
  const byDays = valid_for > 0 ? textOf(now + valid_for * DAY_MS) : null;
  const license: License = {
    id: 0,
    license_key,
    order_id: values.order_id ?? null,
    product_id,
    user_id: null,
    expires_at: values.expires_at ?? byDays,
    valid_for,
    source: 3,
    status,
    activations_limit,
    created_at: textOf(now),
    created_by: 1,
    updated_at: null,
    updated_by: null,
  };
  state.licenses.push(license);
  return license;
}

export function updateLicense(
  state: State,
  caller: Caller,
  key: string,
  values: LicenseValues,
  now: number,
): License {
  const license = findLicense(state, caller, key);
  if (Object.keys(values).length === 0) return license;
  if (values.product_id !== undefined && !reaches(caller, values.product_id)) throw new Refused(422);
  if (state.licenses.some((one) => one !== license && one.license_key === values.license_key))
    throw new Refused(409);
  return Object.assign(license, values, { updated_at: textOf(now), updated_by: 1 });
}

export function deleteLicense(state: State, caller: Caller, key: string): void {
  const license = findLicense(state, caller, key);
  state.licenses = state.licenses.filter((one) => one !== license);
  state.activations = state.activations.filter((one) => one.license_id !== license.id);
}

export interface Activate {
  key: string;
  token: string | null;
  label: string | null;
  meta: unknown;
  software: number | null;
}
/** Checks in the order of the contract, section 6. */
export function activate(state: State, caller: Caller, asked: Activate, now: number): [Activation, License] {
  const license = findLicense(state, caller, asked.key);
  const earlier = asked.token === null ? null : findActivation(state, caller, asked.token)[0];
  if (earlier && earlier.license_id !== license.id) throw new Refused(404);
  if (earlier && earlier.deactivated_at === null) throw new Refused(404);
  if (isExpired(license, now)) throw new Refused(405, 'license_expired');
  if (license.status === 5) throw new Refused(405, 'license_disabled');
  const named = state.software.find((one) => one.id === asked.software);
  const software = named && reachesSoftware(caller, named) ? named : null;
  if (software && !covers(software, license)) throw new Refused(404);
  const isFull =
    license.activations_limit > 0 && validOnes(state, license).length >= license.activations_limit;
  if (isFull) throw new Refused(404, 'license_activation_limit_reached');
  const seen = { updated_at: textOf(now), last_seen_at: textOf(now) };
  if (earlier) return [Object.assign(earlier, { deactivated_at: null, ...seen }), license];
  const activation: Activation = {
    id: 0,
    token: '',
    license_id: license.id,
    software_id: software?.id ?? null,
    label: asked.label,
    meta_data: asked.meta ?? [],
    created_at: textOf(now),
    updated_at: null,
    deactivated_at: null,
    last_seen_at: null,
  };
  state.activations.push(activation);
  return [activation, license];
}

export function validate(state: State, caller: Caller, token: string): [Activation, License] {
  const [activation, license] = findActivation(state, caller, token);
  if (activation.deactivated_at !== null) throw new Refused(404);
  return [activation, license];
}

export function deactivate(state: State, caller: Caller, token: string, now: number): [Activation, License] {
  const [activation, license] = validate(state, caller, token);
  Object.assign(activation, { deactivated_at: textOf(now), updated_at: textOf(now) });
  return [activation, license];
}

export interface Filter {
  status?: number[];
  product_id?: number;
  license_key?: string;
}
/** Returns the matching licenses, newest first. */
export const listLicenses = (
  state: State,
  caller: Caller,
  { status, product_id, license_key }: Filter,
): License[] =>
  state.licenses
    .filter((one) => reaches(caller, one.product_id))
    .filter((one) => !status || status.includes(one.status))
    .filter((one) => product_id === undefined || one.product_id === product_id)
    .filter((one) => license_key === undefined || one.license_key === license_key)
    .sort((a, b) => b.id - a.id);

/** Compares dotted numbers, the only versions in the operations. */
const isHigher = (a: string, b: string): boolean => {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  const at = left.findIndex((part, i) => part !== right[i]);
  return at >= 0 && (left[at] as number) > (right[at] as number);
};

/** Returns what an updater gets to know about software. */
export function ask(state: State, caller: Caller, id: number, token: string | null, now: number) {
  const software = state.software.find((one) => one.id === id);
  if (!software || !reachesSoftware(caller, software)) throw new Refused(404);
  const versions = software.releases
    .filter(({ status }) => status === 'published')
    .map(({ version }) => version);
  versions.sort((a, b) => (isHigher(a, b) ? -1 : 1));
  let license: License | null = null;
  try {
    if (token !== null) [, license] = validate(state, caller, token);
  } catch {
    // The other fields are answered all the same.
  }
  const isGood = license && !isExpired(license, now) && license.status !== 5 && covers(software, license);
  return {
    name: software.name,
    version: versions[0] ?? '',
    license: isGood ? (license?.license_key ?? '') : '',
    hasDownload: versions.length > 0 && (isGood || software.access === 'public'),
    versions,
  };
}
