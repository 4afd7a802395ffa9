import type { AddressRegisters } from '../../domain/address-count.ts';
import type { Datetime } from '../../domain/datetime.ts';

/** From how many addresses an API key was used in an hour. */
export interface AddressCountRow {
  apiKeyId: number;
  /** Its first second. */
  hour: Datetime;
  registers: AddressRegisters;
  addresses: number;
  /** Whether it was warned of. */
  warned: boolean;
}

export interface AddressCounts {
  /** The hours of an API key from one on, in order. */
  since(apiKeyId: number, hour: Datetime): Promise<Pick<AddressCountRow, 'hour' | 'addresses' | 'warned'>[]>;
  find(apiKeyId: number, hour: Datetime): Promise<AddressRegisters | null>;
  /** What was warned of stays so. */
  put(row: AddressCountRow): Promise<void>;
  /** Forgets the hours of an API key before one. */
  forget(apiKeyId: number, hour: Datetime): Promise<void>;
}
