import {
  type AddressRegisters,
  addressesIn,
  areUnusual,
  joinAddresses,
  usualAddresses,
} from '../../domain/address-count.ts';
import { addDays, type Datetime } from '../../domain/datetime.ts';
import { defineCommand } from '../command.ts';

export interface CountedAddresses {
  apiKeyId: number;
  /** Its first second. */
  hour: Datetime;
  registers: AddressRegisters;
}

/** An API key that is used from more addresses in an hour than it mostly is. */
export interface UnusualAddresses {
  apiKeyId: number;
  addresses: number;
  usual: number;
}

/** Days whose hours say what is usual. */
const DAYS = 7;

/** Adds what one process has seen of addresses to what others have: the keys to be warned of, each once a day. */
export const countAddresses = defineCommand({
  name: 'count-addresses',
  audit: { never: 'counts' },
  run: async ({ addressCounts }, counted: CountedAddresses[]): Promise<UnusualAddresses[]> => {
    const unusual: UnusualAddresses[] = [];
    // In one order on every node, so that none waits for another that waits for it.
    for (const { apiKeyId, hour, registers } of counted.toSorted((a, b) => a.apiKeyId - b.apiKeyId)) {
      const hours = await addressCounts.since(apiKeyId, addDays(hour, -DAYS) ?? hour);
      const before = await addressCounts.find(apiKeyId, hour);
      const joined = before ? joinAddresses(before, registers) : registers;
      const addresses = addressesIn(joined);
      const usual = usualAddresses(hours.filter((one) => one.hour < hour).map((one) => one.addresses));
      const yesterday = addDays(hour, -1) ?? hour;
      const isKnown = hours.some((one) => one.warned && one.hour > yesterday);
      const isNews = !isKnown && areUnusual(addresses, usual);
      if (isNews) unusual.push({ apiKeyId, addresses, usual });
      await addressCounts.put({ apiKeyId, hour, registers: joined, addresses, warned: isNews });
      await addressCounts.forget(apiKeyId, addDays(hour, -DAYS) ?? hour);
    }
    return unusual;
  },
});
