import { FIRST_USER } from '../../domain/actor.ts';
import type { MovingRecord } from '../../store/store.ts';
import type { ShopApiKey, ShopLicense, ShopRecord } from '../../wordpress/shop.ts';

/**
 * Returns the record as the store takes it.
 * @param wasMoved whether an earlier move has made a record of the row. The record keeps its time of creation and its
 * endpoints if this move does not know them
 */
export function movingRecord(
  { kind, id, digest, notes, record }: ShopRecord,
  wasMoved: boolean,
): MovingRecord {
  const values = kind === 'api_key' ? apiKeyRow(record as ShopApiKey) : record;
  const kept = {
    ...(notes.some(({ column }) => column === 'created_at') && { createdAt: undefined }),
    ...(notes.some(({ code }) => code === 'unknown_routes') && { endpoints: undefined }),
  };
  return { kind, sourceId: id, digest, values: wasMoved ? { ...values, ...kept } : values } as MovingRecord;
}

/** Returns a record that changes only the email address of a license. */
export const addressRecord = ({ id, digest, record }: ShopRecord): MovingRecord => ({
  kind: 'license',
  sourceId: id,
  digest,
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
