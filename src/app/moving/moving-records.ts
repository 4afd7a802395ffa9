import type { MovingRecord } from '../../store/store.ts';
import type { ShopApiKey, ShopLicense, ShopRecord } from '../../wordpress/shop.ts';
import { FIRST_USER } from '../people/set-up.ts';

export function movingRecord({ kind, id, digest, record }: ShopRecord): MovingRecord {
  const values = kind === 'api_key' ? apiKeyRow(record as ShopApiKey) : record;
  return { kind, sourceId: id, digest, values } as MovingRecord;
}

/** Returns a record that changes only the email address of a license. */
export const addressRecord = ({ id, digest, record }: ShopRecord): MovingRecord => ({
  ...{ kind: 'license', sourceId: id, digest },
  values: { customerEmail: (record as ShopLicense).customerEmail },
});

/** A moved API key belongs to the first owner. Programs carry it, so it behaves as in the plugin. */
const apiKeyRow = (apiKey: ShopApiKey) => ({
  ...apiKey,
  userId: FIRST_USER,
  products: null,
  expiresAt: null,
  compatibility: 'plugin' as const,
  hashedBy: 'wc-api' as const,
});
