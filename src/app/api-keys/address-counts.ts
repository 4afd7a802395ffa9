import type { Actor } from '../../domain/actor.ts';
import { type AddressRegisters, addAddress, noAddresses } from '../../domain/address-count.ts';
import type { Clock } from '../../domain/datetime.ts';
import { toDatetime } from '../../domain/datetime.ts';
import type { Execute } from '../execute.ts';
import type { UnusualAddresses } from './count-addresses.ts';

/** From how many addresses each API key is used in an hour, gathered in memory and written now and then. */
export interface AddressCounts {
  note(apiKeyId: number, address: string): void;
  /** Writes what was noted: the keys that are used from unusually many. What cannot be written is kept for the next time. */
  flush(): Promise<UnusualAddresses[]>;
}

const HOUR_MS = 3_600_000;

interface Count {
  /** Hours since the epoch. */
  hour: number;
  registers: AddressRegisters;
  isWritten: boolean;
}

/** 256 bytes for each API key in use. */
export function createAddressCounts(execute: Execute, clock: Clock, actor: Actor): AddressCounts {
  const counts = new Map<number, Count>();
  return {
    note(apiKeyId, address) {
      const hour = Math.floor(clock() / HOUR_MS);
      let count = counts.get(apiKeyId);
      if (count?.hour !== hour) {
        count = { hour, registers: noAddresses(), isWritten: true };
        counts.set(apiKeyId, count);
      }
      if (addAddress(count.registers, address)) count.isWritten = false;
    },
    async flush() {
      const changed = [...counts].filter(([, { isWritten }]) => !isWritten);
      if (changed.length === 0) return [];
      for (const [, count] of changed) count.isWritten = true;
      const counted = changed.map(([apiKeyId, { hour, registers }]) => ({
        apiKeyId,
        hour: toDatetime(hour * HOUR_MS),
        registers,
      }));
      try {
        return await execute('count-addresses', counted, actor);
      } catch (error) {
        for (const [, count] of changed) count.isWritten = false;
        throw error;
      }
    },
  };
}
