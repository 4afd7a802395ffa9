import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShop, type ShopOptions } from '../../../src/wordpress/open-shop.ts';
import { readSecrets } from '../../../src/wordpress/secrets.ts';
import type { Plugin, Shop, ShopKind, ShopRecord } from '../../../src/wordpress/shop.ts';
import { temporaryFolder } from '../folder.ts';
import { ROOT } from '../program.ts';
import { runPhp } from './php.ts';

export const NOW = '2026-11-23 12:00:00';
const neverAborted = new AbortController().signal;

/** Creates a shop with PHP. @returns a folder with `shop.sql`, `defuse.txt`, `secret.txt` and `expected.jsonl` */
export function makeShop(plugin: ShopName, licenses: number, prefix = 'wp_'): string {
  const folder = temporaryFolder();
  const script = join(ROOT, 'test/support/wordpress/make-shop.php');
  runPhp(script, [plugin, String(licenses), folder, prefix]);
  return folder;
}

type ShopName = 'dlm' | 'lmfwc2' | 'lmfwc3';

/** Creates a shop of each plugin: DLM, LMFWC 2 and LMFWC 3. @param use gets its folder, and returns a result */
export async function eachShop<T>(
  licenses: number,
  use: (name: ShopName, plugin: Plugin, files: string) => Promise<T>,
): Promise<Record<ShopName, T>> {
  const made = (name: ShopName, plugin: Plugin) => use(name, plugin, makeShop(name, licenses));
  return {
    dlm: await made('dlm', 'dlm'),
    lmfwc2: await made('lmfwc2', 'lmfwc'),
    lmfwc3: await made('lmfwc3', 'lmfwc'),
  };
}

export type Expected = Record<string, unknown> & { table: string; id: number; odd: string | null };

export const expectedOf = (folder: string): Expected[] =>
  readFileSync(join(folder, 'expected.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

export interface ReadShop {
  shop: Shop;
  records: ShopRecord[];
  /** Returns the record of a kind and id. @throws Error if there is none */
  one<Kind extends ShopKind>(kind: Kind, id: number): Extract<ShopRecord, { kind: Kind }>;
}

/** Opens a shop, reads all of it and closes it. @param files folder with the secrets */
export async function readShop(
  from: ShopOptions['from'],
  files: string,
  options: Partial<ShopOptions> = {},
): Promise<ReadShop> {
  const secrets = await readSecrets(files);
  const shop = await openShop(
    { plugin: 'dlm', from, secrets, prefix: null, now: NOW, ...options },
    neverAborted,
  );
  try {
    const records: ShopRecord[] = [];
    for await (const record of shop.records(neverAborted, () => {})) records.push(record);
    const byId = new Map(records.map((record) => [`${record.kind} ${record.id}`, record]));
    return {
      shop,
      records,
      one(kind, id) {
        const found = byId.get(`${kind} ${id}`);
        if (!found) throw new Error(`there is no ${kind} ${id}`);
        return found as never;
      },
    };
  } finally {
    await shop.close();
  }
}

/** Returns the record that a line of `expected.jsonl` becomes. */
export const licenseOf = (row: Expected) => ({
  key: row.key,
  orderId: row.order_id,
  productId: row.product_id,
  userId: row.user_id,
  customerEmail: row.customer_email,
  expiresAt: row.expires_at,
  validFor: row.valid_for ?? 0,
  source: Number(row.source),
  status: row.status,
  activationsLimit: row.limit ?? 0,
  createdAt: row.created_at,
  createdBy: row.created_by ?? 0,
  updatedAt: row.updated_at,
  updatedBy: row.updated_by,
});

export const activationOf = (row: Expected) => ({
  token: row.token,
  licenseId: row.license_id,
  softwareId: null,
  label: row.label,
  source: Number(row.source),
  ipAddress: row.ip_address,
  userAgent: row.user_agent,
  meta: row.meta,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  deactivatedAt: row.deactivated_at,
});

/** Returns sorted records without random values: the tokens of placeholders. */
export const comparable = ({ records }: Pick<ReadShop, 'records'>) =>
  records
    .map((one) => (one.id < 0 ? { ...one, record: { ...one.record, token: '' } } : one))
    .toSorted((a, b) => a.kind.localeCompare(b.kind) || a.id - b.id);

/** Oddities of licenses that move unchanged. */
export const UNCHANGED = [null, 'quotes', 'unicode', 'long', 'duplicate', 'hash'];
