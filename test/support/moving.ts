import { createHash } from 'node:crypto';
import { type MoveInOptions, moveIn } from '../../src/app/moving/move-in.ts';
import { SYSTEM } from '../../src/app/people/set-up.ts';
import { withMoveTarget } from '../../src/installation/moving-in.ts';
import type { Service } from '../../src/installation/service.ts';
import { MOVING_KINDS } from '../../src/store/store.ts';
import type { Shop, ShopActivation, ShopApiKey, ShopLicense, ShopRecord } from '../../src/wordpress/shop.ts';
import { copyMigrated } from './engine.ts';
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
    ...{ activationsLimit: 5, createdAt: AT, createdBy: 0, updatedAt: null, updatedBy: null },
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
export const apiKey = (id: number, values: Partial<ShopApiKey> = {}): ShopRecord => ({
  ...record(id, values),
  kind: 'api_key',
  record: {
    ...{
      description: 'Moved',
      keyEnding: 'abcdefg',
      keyHash: hash(`key ${id}`),
      secretHash: hash(`secret ${id}`),
    },
    ...{ permission: 'read_write', endpoints: ['licenses.get'], lmfwcVersion: 3 },
    ...{ lastAccessAt: null, createdAt: AT },
    ...values,
  },
});
const hash = (text: string) => createHash('sha256').update(text).digest();
const record = (id: number, values: object) => ({
  id,
  digest: createHash('sha256').update(JSON.stringify(values)).digest(),
  notes: [],
});

export const shopOf = (records: readonly ShopRecord[], secret = SECRET): Shop => ({
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
  signal: new AbortController().signal,
  onProgress: () => {},
};

/** A migrated database that shops move into. */
export async function newTarget() {
  const dataDir = temporaryFolder();
  await copyMigrated(dataDir);
  const config = await engineConfig(dataDir);
  const move = (shop: Shop, options: Partial<MoveInOptions> & { withoutHashes?: boolean } = {}) => {
    const { dryRun = false, withoutHashes = false } = options;
    return withMoveTarget(config, shop, { dryRun, withoutHashes }, SYSTEM, ({ service }) =>
      moveIn(service, shop, { ...OPTIONS, ...options }, SYSTEM),
    );
  };
  /** The service that the records of a shop are moved with. */
  const within = <T>(use: (service: Service) => Promise<T>) =>
    withMoveTarget(config, shopOf([]), { dryRun: false, withoutHashes: true }, SYSTEM, ({ service }) =>
      use(service),
    );
  return { dataDir, config, move, within };
}
