import { setTimeout } from 'node:timers/promises';
import type { Call, Clients, Credentials } from '../clients.ts';
import type { Masks } from '../masks.ts';

/** The values that the requests of one run share. */
export interface Wire extends Clients {
  masks: Masks;
  /** Calls any route of the v1 API, with the key of the settings. */
  api: Call;
  /** API keys by their rights, created through the console. */
  keys: Record<'full' | 'read' | 'write' | 'client' | 'products' | 'narrow' | 'revoked', Credentials>;
  /** The token of the link that sets up the console. */
  setupToken: string;
}

export type Requests = (wire: Wire) => Promise<void>;

/** Waits for the next second, for answers whose order depends on whether two times are equal. */
export const nextSecond = (): Promise<void> => setTimeout(1_010 - (Date.now() % 1_000));

/** Sends requests that differ only in their address. */
export async function each(call: Call, whats: readonly string[]): Promise<void> {
  for (const what of whats) await call(what);
}

/** A date so far away that it is recorded unmasked. */
export const FAR = '2099-12-31 23:59:58';
export const LONG_AGO = '2001-02-03 04:05:06';

/** The hash of `WIRE-0001` under the master key of the runs. */
export const HASH = 'hashed-7114cdea28b49bf4fb804046b756c80a895dff237c254db5b9c10ec88bc6e8a2';
export const UNKNOWN_HASH = 'hashed-0000000000000000000000000000000000000000000000000000000000000000';
export const UNKNOWN_TOKEN = 'feedfacefeedfacefeedfacefeedfacefeedface';
