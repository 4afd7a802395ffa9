import type { MovingRecord } from '../../store/store.ts';
import type { ShopApiKey, ShopLicense, ShopRecord } from '../../wordpress/shop.ts';
import { FIRST_USER } from '../people/set-up.ts';

/**
 * Returns the record as the store takes it.
 * @param wasMoved whether an earlier move has made a record of the row, which keeps its time of creation if the shop has
 * none
 */
export function movingRecord(
  { kind, id, digest, notes, record }: ShopRecord,
  wasMoved: boolean,
): MovingRecord {
  const values = kind === 'api_key' ? apiKeyRow(record as ShopApiKey) : record;
  const keepsDate = wasMoved && notes.some(({ column }) => column === 'created_at');
  const taken = keepsDate ? { ...values, createdAt: undefined } : values;
  return { kind, sourceId: id, digest, values: taken } as MovingRecord;
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
