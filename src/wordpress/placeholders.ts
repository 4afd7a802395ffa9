import { hash, randomBytes } from 'node:crypto';
import { ACTIVATION_SOURCE } from '../domain/activation.ts';
import type { Datetime } from '../domain/datetime.ts';
import { type Cells, noteOf } from './cells.ts';
import type { ShopRecord } from './shop.ts';

/** Far more than any license has: a larger number is an error, and would fill the database. */
const MAX = 100_000;
const PER_LICENSE = 2 ** 20;

/**
 * LMFWC 2 only counts activations. Makes placeholders for those without a row, from all licenses and activations of a
 * shop.
 */
export class Placeholders {
  readonly #licenses = new Map<number, { missing: number; createdAt: Datetime }>();
  readonly #valid = new Map<number, number>();

  /** @param cells the row of a license that is moved */
  license(id: number, createdAt: Datetime, cells: Cells): void {
    const counted = cells.number('times_activated', MAX) ?? 0;
    if (counted > 0) this.#licenses.set(id, { missing: counted, createdAt });
  }

  /** Counts a valid activation that has a row. */
  valid(licenseId: number): void {
    this.#valid.set(licenseId, (this.#valid.get(licenseId) ?? 0) + 1);
  }

  /** The placeholders. Their ids are the same each time: -(license · 2^20 + number). */
  *records(): Iterable<ShopRecord> {
    for (const [licenseId, { missing, createdAt }] of this.#licenses) {
      const count = missing - (this.#valid.get(licenseId) ?? 0);
      for (let number = 1; number <= count; number++) yield placeholder(licenseId, number, createdAt);
    }
  }
}

/** The license of a placeholder, which has a negative id. */
export const licenseOfPlaceholder = (id: number): number => Math.floor(-id / PER_LICENSE);

const placeholder = (licenseId: number, number: number, createdAt: Datetime): ShopRecord => ({
  kind: 'activation',
  id: -(licenseId * PER_LICENSE + number),
  digest: hash('sha256', `placeholder ${licenseId} ${number}`, 'buffer'),
  notes: [noteOf('placeholder', 'times_activated')],
  record: {
    token: randomBytes(20).toString('hex'),
    licenseId,
    softwareId: null,
    label: 'Unknown device: counted by License Manager for WooCommerce',
    source: ACTIVATION_SOURCE.migration,
    ipAddress: null,
    userAgent: null,
    meta: null,
    createdAt,
    updatedAt: null,
    deactivatedAt: null,
  },
});
