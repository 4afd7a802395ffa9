import type { Activation, SeatFields } from '../domain/activation.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { Generator } from '../domain/generator.ts';
import type { License } from '../domain/licenses/license.ts';
import type { LicenseTerms } from '../domain/terms.ts';

/** Digital License Manager, or License Manager for WooCommerce. */
export const PLUGINS = ['dlm', 'lmfwc'] as const;
export type Plugin = (typeof PLUGINS)[number];

/** A shop whose plugin's records are read, from its database or from a dump of it. */
export interface Shop {
  readonly plugin: Plugin;
  /**
   * Id of the shop, 16 hex digits. A database and each of its dumps have the same, because it derives from the
   * plugin's secrets and table prefix.
   */
  readonly id: string;
  /** The secret that the plugin hashes license keys with: HMAC-SHA-256 takes these bytes as its key. */
  readonly hashKey: Uint8Array;
  /** The kinds of records whose tables the shop has. */
  readonly kinds: ReadonlySet<ShopKind>;
  /** All records, as of one moment, in any order. @param read called with the part that was read, 0 to 1 */
  records(signal: AbortSignal, read: (part: number) => void): AsyncIterable<ShopRecord>;
  /** Rows of the plugin's tables that are not read, by table: the report names them. */
  left(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** A record of a shop by its kind and its id there. */
export type ShopItem = {
  /** Negative for a placeholder, which has no row in the shop: its activation takes a new id. */
  id: number;
} & (
  | { kind: 'license'; record: ShopLicense | null }
  | { kind: 'license_meta'; record: { licenseId: number; name: string; value: string | null } | null }
  | { kind: 'activation'; record: ShopActivation | null }
  | { kind: 'generator'; record: Omit<Generator, 'id' | keyof LicenseTerms> | null }
  | { kind: 'api_key'; record: ShopApiKey | null }
);
export type ShopKind = ShopItem['kind'];
/** What can be written to a shop. No API keys: the plugin stores their secrets in clear, and Latchkey has only hashes. */
export type WritableItem = Exclude<ShopItem, { kind: 'api_key' }>;

/** A row of a shop. `record` is null if the row cannot be moved; a note says why. */
export type ShopRecord = ShopItem & {
  /** SHA-256 of the row as it is stored, without what changes at each use: a changed row has another digest. */
  digest: Uint8Array;
  /** The digest that an earlier Latchkey has stored, if it may differ. */
  formerDigest?: Uint8Array;
  notes: readonly Note[];
};

/** Ids of WordPress users stay as they are; 0 where there is none. */
export type ShopLicense = Omit<License, 'id' | 'timesActivated' | keyof LicenseTerms>;
/** `softwareId` is always null. */
export type ShopActivation = Omit<Activation, 'id' | SeatFields>;
/** `keyHash`: HMAC-SHA-256 of the consumer key under `wc-api`. `secretHash`: SHA-256 of the consumer secret. */
export type ShopApiKey = Pick<
  ApiKey,
  | 'description'
  | 'keyEnding'
  | 'secretHash'
  | 'permission'
  | 'endpoints'
  | 'lmfwcVersion'
  | 'lastAccessAt'
  | 'createdAt'
> & { keyHash: Uint8Array };

/** Something odd about a row, and what was done about it; the report puts it into words. */
export interface Note {
  code: NoteCode;
  /** The column; null for the whole row. */
  column: string | null;
  /** The value as stored, cut at 80 characters; null where it is secret, or there is none. */
  value: string | null;
}

/** The texts of the codes: what is odd, and what is done. */
export const NOTES = {
  not_decrypted: 'The license key cannot be decrypted with defuse.txt. The row was not moved.',
  hash_differs:
    'The stored hash does not match the license key and secret.txt. The license was moved by its key.',
  no_date: 'The date is missing. The record was moved with the time of the move.',
  id_twice: 'The id occurs twice in its table. Only the first row was used.',
  bad_row: 'A value that the row needs is missing or malformed. The row was not moved.',
  zero_date: 'The date is zero. It was left empty, or set to the time of the move if the record needs one.',
  bad_date:
    'The date is impossible. It was left empty, or set to the time of the move if the record needs one.',
  out_of_range: 'The number is out of range. It was left empty.',
  unknown_status: 'The status is unknown. The license was moved as inactive.',
  unknown_source: 'The source is unknown. The record was moved with the source "migrated".',
  cut: 'The text is too long. It was cut.',
  unstorable: 'The text has characters that cannot be stored. They were left out.',
  bad_email: 'The email address of the customer is malformed. The license was moved without it.',
  bad_meta:
    'The metadata is not an object of at most 16 KiB, or has characters that cannot be stored. It was not moved.',
  long_meta:
    'The value is longer than 10,000 characters. It was moved whole, but imports and edits of metadata refuse it.',
  placeholder:
    'The license counts an activation that has no row. It was moved as an activation without a device.',
  unknown_endpoint:
    'The API key may call an endpoint that Latchkey does not know. It was left out. If it serves updates, permit software.read and software.download (docs/operate/moving.md).',
  no_endpoints: 'The API key has no permitted endpoints. It was not moved.',
  unknown_routes:
    'The settings of the plugin were not found, so the routes that its API keys may call are unknown. An API key that was moved in before keeps its endpoints; a new one may read, activate, deactivate and validate licenses.',
} as const;
export type NoteCode = keyof typeof NOTES;
