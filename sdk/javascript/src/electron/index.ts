import { rm } from 'node:fs/promises';
import { type DeviceKey, deviceKeyIn } from '../device-key.ts';
import { readIfThere, unlessThere, writePrivately } from '../node/file-storage.ts';
import type { Storage } from '../storage.ts';

/**
 * The part of Electron's `safeStorage` that is used: the asynchronous methods, or the synchronous ones of older versions.
 */
export interface SafeStorage {
  isAsyncEncryptionAvailable?(): Promise<boolean>;
  encryptStringAsync?(text: string): Promise<Uint8Array>;
  decryptStringAsync?(encrypted: Uint8Array): Promise<{ result: string }>;
  isEncryptionAvailable?(): boolean;
  encryptString?(text: string): Uint8Array;
  decryptString?(encrypted: Uint8Array): string;
}

/** Marks encrypted content. Text without this prefix was written when encryption was not available. */
const MARK = Buffer.from('safe:');

/**
 * Returns a storage that keeps the text in a file with mode 0600, encrypted by `safeStorage`. Use it in the main process
 * after `app.whenReady()`. On Linux without a keyring, Electron encrypts with a password that is publicly known, or not at
 * all.
 */
export function electronStorage(safeStorage: SafeStorage, path: string): Storage {
  const canEncrypt = async (): Promise<boolean> =>
    (await safeStorage.isAsyncEncryptionAvailable?.()) ?? safeStorage.isEncryptionAvailable?.() ?? false;
  const encrypt = async (text: string) =>
    (await safeStorage.encryptStringAsync?.(text)) ?? safeStorage.encryptString?.(text);
  const decrypt = async (encrypted: Buffer) =>
    (await safeStorage.decryptStringAsync?.(encrypted))?.result ?? safeStorage.decryptString?.(encrypted);
  const content = async (text: string): Promise<string | Uint8Array> => {
    const encrypted = (await canEncrypt()) ? await encrypt(text) : undefined;
    return encrypted ? Buffer.concat([MARK, encrypted]) : text;
  };
  return {
    async load() {
      const kept = await readIfThere(path);
      if (!kept?.subarray(0, MARK.length).equals(MARK)) return kept?.toString('utf8') ?? null;
      // Fail instead of returning null: a locked keyring is no reason to forget the license.
      if (!(await canEncrypt())) throw new Error('The keyring of the system is not available.');
      return (await decrypt(kept.subarray(MARK.length)).catch(() => null)) ?? null;
    },
    save: async (text) => writePrivately(path, await content(text)),
    create: async (text) => writePrivately(path, await content(text), unlessThere),
    clear: () => rm(path, { force: true }),
  };
}

/** Returns a device key that is kept in a file encrypted by `safeStorage`. */
export const electronDeviceKey = (safeStorage: SafeStorage, path: string): DeviceKey =>
  deviceKeyIn(electronStorage(safeStorage, path));
