import type { Check } from './check.ts';
import type { DeviceKey } from './device-key.ts';
import type { Fetch } from './server.ts';
import type { Storage } from './storage.ts';
import { isKey } from './verify.ts';

export interface Options {
  /** Base URL of the server, `https://licenses.example.com`. */
  url: string;
  /** The public halves of the root keys, the active one and the spare (`latchkey signing-key show`). */
  roots: readonly string[];
  /** Stores the lease and the token. */
  storage: Storage;
  /** A key that binds leases to this device. Required for devices without a network. */
  deviceKey?: DeviceKey | undefined;
  /** Identifies this device, 1 to 255 characters. By default the public device key, or a random text in the storage. */
  fingerprint?: string | null | undefined;
  /** The product ID. A lease for another product is refused. */
  product?: number | undefined;
  /** Id or slug of the software, for `activate` and `updateCheck`. */
  software?: string | number | undefined;
  /** When the program was built. A clock before this time was set back. */
  builtAt?: Date | undefined;
  /** Whether to accept license files, which are valid on any device. */
  acceptLicenseFiles?: boolean | undefined;
  /**
   * Called when a check in the background has changed the answer of the last `check`. Its errors are reported to the page,
   * or printed.
   */
  onChange?: ((check: Check) => unknown) | undefined;
  /** Milliseconds that a request may take; 10,000 if not given. */
  timeout?: number | undefined;
  /** Replaces `fetch`: behind a proxy, or for tests. */
  fetch?: Fetch | undefined;
  /** For tests: returns the time in milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** For tests: returns a number between 0 and 1. Used only for delays. */
  random?: (() => number) | undefined;
}

/** What a call that waits for the server takes. */
export interface CallOptions {
  /** Ends the call, which then rejects with the code `aborted`. The server may have carried it out. */
  signal?: AbortSignal | undefined;
}

export interface ActivateOptions extends CallOptions {
  /** Name of this device, by which a customer recognizes it. */
  label?: string | undefined;
  meta?: Readonly<Record<string, unknown>> | undefined;
  /** If no seat is free, take the seat of the device that has been inactive for the longest time. */
  takeover?: boolean | undefined;
  /** The number of hours to keep a floating seat while offline. */
  borrowHours?: number | undefined;
}

export interface UpdateCheckOptions extends CallOptions {
  /** The installed version. */
  version?: string | undefined;
  channel?: string | undefined;
  platform?: string | undefined;
  arch?: string | undefined;
  /** Id or slug of the software, if not given to the constructor. */
  software?: string | number | undefined;
}

/** An update, as the server describes it. */
export interface Update {
  version: string;
  published_at: string | null;
  notes_markdown: string | null;
  notes_html: string | null;
  /** Null if the license does not include this update; `denied` then contains the reason. */
  download_url: string | null;
  denied?: string;
  size: number | null;
  sha256: string | null;
  signature: string | null;
  critical: boolean;
}

/** @throws TypeError for options that cannot work */
export function checkOptions(options: Options): void {
  const { url, roots, storage, deviceKey, fingerprint, product, builtAt } = options;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new TypeError('url must be an address that begins with https:// or http://');
  if (!Array.isArray(roots) || roots.length === 0 || !roots.every(isKey))
    throw new TypeError('roots must be a list of public keys of 43 characters (latchkey signing-key show)');
  // Without types, a path may stand here.
  if (typeof storage?.load !== 'function')
    throw new TypeError('storage must be a storage, such as fileStorage(path)');
  if (deviceKey && typeof deviceKey.publicKey !== 'function')
    throw new TypeError('deviceKey must be a device key, such as fileDeviceKey(path)');
  if (typeof fingerprint === 'string' && (fingerprint.trim() === '' || fingerprint.length > 255))
    throw new TypeError('fingerprint must have 1 to 255 characters');
  if (product !== undefined && !Number.isSafeInteger(product))
    throw new TypeError('product must be an integer');
  if (builtAt && Number.isNaN(builtAt.getTime())) throw new TypeError('builtAt must be a date');
}
