import { encode } from './base64url.ts';
import { type DeviceKey, type KeyPair, makeKeyPair, signWith } from './device-key.ts';
import type { Storage } from './storage.ts';

// Adapters for browsers and Electron renderers. Each adapter keeps one record in the only object store of a database.

const STORE = 'latchkey';

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Runs a request in one transaction. Resolves once the transaction is written. */
async function inStore<T>(
  database: string,
  mode: IDBTransactionMode,
  run: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(database, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const db = await settled(opening);
  try {
    const transaction = db.transaction(STORE, mode, { durability: 'strict' });
    const written = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
    const [value] = await Promise.all([settled(run(transaction.objectStore(STORE))), written]);
    return value;
  } finally {
    db.close();
  }
}

/** Returns a storage that keeps the text in IndexedDB. @param name the name of the database */
export function indexedDbStorage(name: string): Storage {
  return {
    async load() {
      const kept: unknown = await inStore(name, 'readonly', (store) => store.get('state'));
      return typeof kept === 'string' ? kept : null;
    },
    save: async (text) => void (await inStore(name, 'readwrite', (store) => store.put(text, 'state'))),
    async create(text) {
      await inStore(name, 'readwrite', (store) => store.add(text, 'state')).catch(() => undefined);
    },
    clear: async () => void (await inStore(name, 'readwrite', (store) => store.delete('state'))),
  };
}

/** Returns a device key in IndexedDB. No script can read its private half. @param name the name of the database */
export function indexedDbDeviceKey(name: string): DeviceKey {
  const load = async (): Promise<KeyPair> => {
    const read = () => inStore<KeyPair | undefined>(name, 'readonly', (store) => store.get('key'));
    const kept = await read();
    if (kept) return kept;
    const made = await makeKeyPair(false);
    // If several tabs create a key at the same time, the first one wins.
    await inStore(name, 'readwrite', (store) => store.add(made, 'key')).catch(() => undefined);
    const won = await read();
    if (!won) throw new Error('The browser did not store the device key.');
    return won;
  };
  return {
    async publicKey() {
      const { publicKey } = await load();
      return encode(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)));
    },
    sign: async (bytes) => signWith((await load()).privateKey, bytes),
    clear: async () => void (await inStore(name, 'readwrite', (store) => store.delete('key'))),
  };
}
