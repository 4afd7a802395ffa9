import fc from 'fast-check';
import type { Caller, Filter, LicenseValues } from './model.ts';

/**
 * Operations of a client on so few records that they collide. An operation names a record by its position.
 */
export type Operation = { caller: number } & (
  | { do: 'create'; values: LicenseValues }
  | { do: 'update'; key: string; values: LicenseValues }
  | { do: 'get' | 'delete'; key: string }
  | {
      do: 'activate';
      key: string;
      token: number | null;
      label: string | null;
      meta: object | null;
      software: number | null;
    }
  | { do: 'validate' | 'deactivate'; token: number }
  | { do: 'list'; filter: Filter; perPage: number; page: number }
  | { do: 'walk'; perPage: number }
  | { do: 'wait'; seconds: number }
  | { do: 'make software'; name: string; products: number[]; access: string }
  | { do: 'delete software'; software: number }
  | { do: 'cover'; software: number; products: number[] }
  | { do: 'ask'; software: number; token: number | null }
  | { do: 'release'; software: number; version: string }
  | { do: 'set release'; software: number; release: number; status: string }
  | { do: 'delete release'; software: number; release: number }
  | { do: 'make generator'; limit: number; days: number; length: number }
  | { do: 'set generator'; generator: number; limit: number }
  | { do: 'get generator' | 'delete generator'; generator: number }
  | { do: 'generate'; generator: number; amount: number; save: boolean; product: number | null }
);

const all = { products: null, permission: 'read_write', endpoints: null } as const;
/** The API keys of a run. The first has no limits. */
export const CALLERS: readonly Caller[] = [
  all,
  { ...all, products: [1] },
  { ...all, products: [1, 2], permission: 'read' },
  { ...all, permission: 'write' },
  {
    ...all,
    endpoints: [
      'licenses.get',
      'licenses.inspect',
      'licenses.activate',
      'licenses.validate',
      'software.read',
    ],
  },
];

const caller = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.nat(CALLERS.length - 1) },
);
/** Some keys that a generator of the operations can generate are among them. */
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('K-1', 'Ключ/2') },
  { weight: 1, arbitrary: fc.constantFrom('K-3', 'AA', 'AB', 'A') },
);
const product = fc.constantFrom(1, 2, 3);
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const index = fc.nat(5);
const DAYS = [0, 1, 30];
const values = {
  license_key: key,
  order_id: orNull(fc.nat(2)),
  product_id: orNull(product),
  expires_at: orNull(fc.constantFrom('2030-01-01 00:00:00', '2030-01-02 00:00:01', '2029-12-31 23:59:59')),
  valid_for: fc.constantFrom(...DAYS),
  status: fc.integer({ min: 1, max: 5 }),
  activations_limit: fc.nat(3),
};
const needed = ['license_key', 'valid_for', 'status', 'activations_limit'] as const;
const products = fc.uniqueArray(product, { maxLength: 2 });
const version = fc.tuple(fc.nat(2), fc.nat(11), fc.nat(2)).map((parts) => parts.join('.'));

const of = <T extends Operation['do'], R extends object>(
  weight: number,
  what: T,
  rest: { [K in keyof R]: fc.Arbitrary<R[K]> },
) => ({
  weight,
  arbitrary: fc.record({ do: fc.constant(what), caller, ...rest }) as unknown as fc.Arbitrary<Operation>,
});

const license = { valid_for: 30, status: 3, activations_limit: 2 };
/** The first operations of every sequence, so that the others have records to work on. */
export const BEGINNING: readonly Operation[] = [
  { do: 'create', caller: 0, values: { ...license, license_key: 'K-1', product_id: 1 } },
  { do: 'create', caller: 0, values: { ...license, license_key: 'Ключ/2', valid_for: 0 } },
  { do: 'make software', caller: 0, name: 'One', products: [1], access: 'licensed' },
  { do: 'release', caller: 0, software: 0, version: '1.9.0' },
  { do: 'make generator', caller: 0, limit: 1, days: 1, length: 2 },
  { do: 'activate', caller: 0, key: 'K-1', token: null, label: null, meta: null, software: 0 },
];

export const operations: fc.Arbitrary<Operation> = fc.oneof(
  of(6, 'create', {
    values: fc.record(values, { requiredKeys: [...needed] }) as fc.Arbitrary<LicenseValues>,
  }),
  of(5, 'update', { key, values: fc.record(values, { requiredKeys: [] }) as fc.Arbitrary<LicenseValues> }),
  of(3, 'get', { key }),
  of(1, 'delete', { key }),
  of(10, 'activate', {
    key,
    token: fc.oneof(fc.constant(null), fc.constant(null), index),
    label: orNull(fc.constantFrom('laptop', 'ä'.repeat(255))),
    meta: orNull(fc.constantFrom<object>({ os: 'linux' }, { a: [1, { b: null }] })),
    software: orNull(index),
  }),
  of(3, 'validate', { token: index }),
  of(5, 'deactivate', { token: index }),
  of(2, 'list', {
    filter: fc.record(
      {
        status: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
        product_id: product,
        license_key: key,
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Filter>,
    perPage: fc.integer({ min: 1, max: 4 }),
    page: fc.integer({ min: 1, max: 3 }),
  }),
  of(1, 'walk', { perPage: fc.integer({ min: 1, max: 3 }) }),
  of(2, 'wait', { seconds: fc.constantFrom(1, 1, 3_600, 86_399, 86_400, 2_595_000) }),
  of(2, 'make software', {
    name: fc.constantFrom('One', 'Two', 'Three'),
    products,
    access: fc.constantFrom('licensed', 'public'),
  }),
  of(1, 'delete software', { software: index }),
  of(1, 'cover', { software: index, products }),
  of(3, 'ask', { software: index, token: orNull(index) }),
  of(2, 'release', { software: index, version }),
  of(1, 'set release', {
    software: index,
    release: index,
    status: fc.constantFrom('published', 'yanked', 'draft'),
  }),
  of(1, 'delete release', { software: index, release: index }),
  of(2, 'make generator', {
    limit: fc.nat(2),
    days: fc.constantFrom(...DAYS),
    length: fc.integer({ min: 1, max: 2 }),
  }),
  of(1, 'set generator', { generator: index, limit: fc.nat(2) }),
  of(1, 'get generator', { generator: index }),
  of(1, 'delete generator', { generator: index }),
  of(3, 'generate', {
    generator: index,
    amount: fc.integer({ min: 1, max: 4 }),
    save: fc.boolean(),
    product: orNull(product),
  }),
);
