import { createHash } from 'node:crypto';
import { type MoveInOptions, moveIn } from '../../src/app/moving/move-in.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { withMoveTarget } from '../../src/installation/moving-in.ts';
import { prepareDatabase, type Service } from '../../src/installation/service.ts';
import { MOVING_KINDS } from '../../src/store/store.ts';
import type { Shop, ShopActivation, ShopApiKey, ShopLicense, ShopRecord } from '../../src/wordpress/shop.ts';
import { copyMigrated, rowsOf } from './engine.ts';
import { temporaryFolder } from './folder.ts';
import { engineConfig } from './service.ts';

export const SECRET = 'a'.repeat(64);
export const AT = '2026-01-02 03:04:05';

export const license = (id: number, values: Partial<ShopLicense> = {}): ShopRecord => ({
  ...record(id, values),
  kind: 'license',
  record: {
    key: `SHOP-KEY-${id}`,
    ...{ orderId: id * 10, productId: 7, userId: 3, expiresAt: null, validFor: 0, source: 2, status: 3 },
    ...{
      customerEmail: null,
      activationsLimit: 5,
      createdAt: AT,
      createdBy: 0,
      updatedAt: null,
      updatedBy: null,
    },
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
    ...{ licenseId, softwareId: null, label: `Device ${id}`, source: 2, ipAddress: '192.0.2.1' },
    ...{ userAgent: null, meta: { os: 'linux' }, createdAt: AT, updatedAt: null, deactivatedAt: null },
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
    ...{ description: 'Shipped', keyEnding: '0000000', permission: 'read', endpoints: ['licenses.validate'] },
    ...{ keyHash: Buffer.alloc(32, id), secretHash: Buffer.alloc(32, 1), lmfwcVersion: 2 },
    ...{ lastAccessAt: null, createdAt: AT },
    ...values,
  },
});
const record = (id: number, values: object) => ({
  id,
  digest: createHash('sha256').update(JSON.stringify(values)).digest(),
  notes: [],
});

/** @param secret by default the database's own, because adopting another takes a database 2 s */
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

/** Creates a migrated database for shops to move into. */
export async function newTarget() {
  const dataDir = temporaryFolder();
  await copyMigrated(dataDir);
  const config = await engineConfig(dataDir);
  const { keys } = await prepareDatabase(config, { mustExist: false });
  const open = <T>(
    { hashKey }: Shop,
    options: { dryRun: boolean; withoutHashes: boolean },
    use: (service: Service) => Promise<T>,
  ) => {
    const target = { hashKey: hashKey.length > 0 ? hashKey : keys.data['license key hash'] };
    return withMoveTarget(config, target, options, SYSTEM, ({ service }) => use(service));
  };
  const move = (shop: Shop, options: Partial<MoveInOptions> = {}) => {
    const all = { ...OPTIONS, ...options };
    return open(shop, all, (service) => moveIn(service, shop, all, SYSTEM));
  };
  /** Calls `use` with the service that moves the records of a shop. */
  const within = <T>(use: (service: Service) => Promise<T>) => open(shopOf([]), OPTIONS, use);
  return { dataDir, config, move, within };
}

export type Target = Awaited<ReturnType<typeof newTarget>>;
/** The id of a shop other than that of `shopOf`. */
export const OTHER_SHOP = 'fedcba9876543210';
/** Returns the values of a column of all licenses, by id. */
export const columnOf = async ({ dataDir }: Target, column: string): Promise<unknown[]> =>
  (await rowsOf(dataDir, `select ${column} from licenses order by id`)).map((row) => row[column]);
export const licenseIds = (target: Target): Promise<unknown[]> => columnOf(target, 'id');
export const seats = (target: Target): Promise<unknown[]> => columnOf(target, 'times_activated');
