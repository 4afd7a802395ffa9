import { createHash } from 'node:crypto';
import { type MoveInOptions, moveIn } from '../../src/app/moving/move-in.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { withMoveTarget } from '../../src/installation/moving-in.ts';
import { openForCommand, type Service, setUpIfNew } from '../../src/installation/service.ts';
import { MOVING_KINDS } from '../../src/store/store.ts';
import type { Shop, ShopActivation, ShopApiKey, ShopLicense, ShopRecord } from '../../src/wordpress/shop.ts';
import { migratedFolder, rowsOf } from './engine.ts';
import { engineConfig } from './service.ts';

export const SECRET = 'a'.repeat(64);
export const AT = '2026-01-02 03:04:05';

export const license = (id: number, values: Partial<ShopLicense> = {}): ShopRecord => ({
  ...record(id, values),
  kind: 'license',
  record: {
    key: `SHOP-KEY-${id}`,
    orderId: id * 10,
    productId: 7,
    userId: 3,
    expiresAt: null,
    validFor: 0,
    source: 2,
    status: 3,
    customerEmail: null,
    activationsLimit: 5,
    createdAt: AT,
    createdBy: 0,
    updatedAt: null,
    updatedBy: null,
    ...values,
  },
});
export const activation = (
  id: number,
  licenseId: number,
  values: Partial<ShopActivation> = {},
): ShopRecord => ({
  ...record(id, values),
  kind: 'activation',
  record: {
    token: createHash('sha1').update(String(id)).digest('hex'),
    licenseId,
    softwareId: null,
    label: `Device ${id}`,
    source: 2,
    ipAddress: '192.0.2.1',
    userAgent: null,
    meta: { os: 'linux' },
    createdAt: AT,
    updatedAt: null,
    deactivatedAt: null,
    ...values,
  },
});
export const meta = (id: number, licenseId: number): ShopRecord => ({
  ...record(id, {}),
  kind: 'license_meta',
  record: { licenseId, name: 'color', value: 'red' },
});
export const apiKey = (id: number, values: Partial<ShopApiKey> = {}): ShopRecord => ({
  ...record(id, values),
  kind: 'api_key',
  record: {
    description: 'Shipped',
    keyEnding: '0000000',
    permission: 'read',
    endpoints: ['licenses.validate'],
    keyHash: Buffer.alloc(32, id),
    secretHash: Buffer.alloc(32, 1),
    lmfwcVersion: 2,
    lastAccessAt: null,
    createdAt: AT,
    ...values,
  },
});
const record = (id: number, values: object) => ({
  id,
  digest: createHash('sha256').update(JSON.stringify(values)).digest(),
  notes: [],
});

/** @param secret by default none: the database keeps its own, because adopting another takes it 2 s */
export const shopOf = (records: readonly ShopRecord[], secret = ''): Shop => ({
  plugin: 'dlm',
  id: '0123456789abcdef',
  hashKey: Buffer.from(secret),
  kinds: new Set(MOVING_KINDS),
  async *records() {
    yield* records;
  },
  left: () => new Map(),
  close: async () => {},
});

const OPTIONS: MoveInOptions = {
  dryRun: false,
  deleteGone: false,
  withoutHashes: false,
  signal: new AbortController().signal,
  onProgress: () => {},
};

/**
 * Creates a migrated database for shops to move into. Moves of shops that bring no secret share one service: opening it
 * for each takes longer than a small move. It closes after the test.
 */
export async function newTarget(t: { after(close: () => Promise<void>): void }) {
  const dataDir = await migratedFolder();
  const config = await engineConfig(dataDir);
  let opened: Promise<Service> | undefined;
  const open = async () => {
    const { service } = await openForCommand(config, { mustExist: false, writerThread: false });
    await setUpIfNew(service, config);
    return service;
  };
  /** Calls `use` with the service that moves the records of a shop. */
  const within = async <T>(use: (service: Service) => Promise<T>) => {
    opened ??= open();
    return use(await opened);
  };
  const close = async () => {
    await (await opened)?.close();
    opened = undefined;
  };
  t.after(close);
  const move = (shop: Shop, options: Partial<MoveInOptions> = {}) => {
    const all = { ...OPTIONS, ...options };
    const moved = (service: Service) => moveIn(service, shop, all, SYSTEM);
    if (shop.hashKey.length === 0) return within(moved);
    return withMoveTarget(config, shop, all, SYSTEM, ({ service }) => moved(service));
  };
  return { dataDir, config, move, within, close };
}

export type Target = Awaited<ReturnType<typeof newTarget>>;
/** The id of a shop other than that of `shopOf`. */
export const OTHER_SHOP = 'fedcba9876543210';
/** Returns the values of a column of all licenses, by id. */
export const columnOf = async ({ dataDir }: Target, column: string): Promise<unknown[]> =>
  (await rowsOf(dataDir, `select ${column} from licenses order by id`)).map((row) => row[column]);
export const licenseIds = (target: Target): Promise<unknown[]> => columnOf(target, 'id');
export const seats = (target: Target): Promise<unknown[]> => columnOf(target, 'times_activated');
