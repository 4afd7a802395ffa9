import type { Client } from './client.ts';
import { type Belongings, certain, isSettled, type License, type LicenseState } from './journal.ts';

/** Returns the records that only this client changes. */
export const mine = ({ journal, number }: Client) => journal.clients[number] as Belongings;

/** Returns a random record that fits; undefined if none of a few samples does. */
export function some<T>({ random }: Client, from: readonly T[], fits: (one: T) => boolean): T | undefined {
  for (let tries = 0; tries < 8; tries++) {
    const one = random.pick(from);
    if (one !== undefined && fits(one)) return one;
  }
  return undefined;
}
/** Returns a license of the client's own whose state is certain. */
export const ownLicense = (client: Client, fits: (one: License) => boolean = () => true) =>
  some(client, mine(client).licenses, (one) => isSettled(one) && fits(one));
export const keyOf = (license: License): string => (certain(license) as LicenseState).key;
