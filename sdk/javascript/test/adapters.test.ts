import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { temporaryFolder } from '../../../test/support/folder.ts';
import { electronDeviceKey, electronStorage, type SafeStorage } from '../src/electron/index.ts';
import { deviceKeyIn, memoryStorage } from '../src/index.ts';
import { deviceFingerprint, fileDeviceKey, fileStorage } from '../src/node/index.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

suite('a file storage', () => {
  test('replaces its file as a whole, readable only by its owner', async () => {
    const folder = join(temporaryFolder(), 'made', 'as needed');
    const path = join(folder, 'license.json');
    const storage = fileStorage(path);
    assert.equal(await storage.load(), null);
    await Promise.all(['one', 'two', 'three'].map((text) => storage.save(text)));
    await storage.save('last');
    assert.deepEqual(
      [await storage.load(), modeOf(path), readdirSync(folder)],
      ['last', 0o600, ['license.json']],
    );
    await storage.clear();
    await storage.clear();
    assert.equal(await storage.load(), null);
  });
  test('creates its file only if there is none, with hard links and without', async (t) => {
    const folder = temporaryFolder();
    const create = async (name: string): Promise<string | null> => {
      const storage = fileStorage(join(folder, name));
      await storage.create?.('first');
      await storage.create?.('second');
      return storage.load();
    };
    assert.equal(await create('linked'), 'first');
    t.after(syncBuiltinESMExports);
    t.mock.method(files, 'link', () => Promise.reject(new Error('not permitted')));
    syncBuiltinESMExports();
    assert.equal(await create('renamed'), 'first');
    assert.deepEqual(readdirSync(folder).sort(), ['linked', 'renamed']);
  });
  test('leaves nothing behind if its path cannot be read or written', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(fileStorage(join(folder, 'file', 'license.json')).save('text'));
    await assert.rejects(fileStorage(folder).load());
    await assert.rejects(fileStorage(folder).save('text'));
    assert.deepEqual(readdirSync(folder), ['file']);
  });
});

suite('a device key', () => {
  test('in a file stays the same until it is cleared', async () => {
    const path = join(temporaryFolder(), 'device.key');
    const key = fileDeviceKey(path);
    const [one, other] = await Promise.all([key.publicKey(), key.publicKey()]);
    assert.equal(one, other);
    assert.equal(await fileDeviceKey(path).publicKey(), one);
    assert.equal(modeOf(path), 0o600);
    await key.clear();
    assert.notEqual(await key.publicKey(), one);
  });
  for (const [name, storageAt] of [
    ['a file', fileStorage],
    ['a file that Electron encrypts', (path: string) => electronStorage(ASYNC, path)],
  ] as const)
    test(`in ${name} is the same for two programs that create it at the same time`, async () => {
      const storage = storageAt(join(temporaryFolder(), 'device.key'));
      const first = deviceKeyIn(storage);
      const second = deviceKeyIn({
        ...storage,
        // The first program stores its key just after the second one has found none.
        async load() {
          const kept = await storage.load();
          await first.publicKey();
          return kept;
        },
      });
      assert.equal(await second.publicKey(), await first.publicKey());
    });
  test('is replaced if it is damaged, but not if it cannot be read', async () => {
    const storage = memoryStorage('damaged');
    const x = await deviceKeyIn(storage).publicKey();
    assert.equal(await deviceKeyIn(storage).publicKey(), x);
    let isLocked = true;
    const locked = {
      ...storage,
      load: () => (isLocked ? Promise.reject(new Error('locked')) : storage.load()),
    };
    const key = deviceKeyIn(locked);
    await assert.rejects(key.publicKey());
    isLocked = false;
    assert.equal(await key.publicKey(), x);
  });
  test('in a file is replaced if it is damaged', async () => {
    const path = join(temporaryFolder(), 'device.key');
    writeFileSync(path, 'damaged');
    const x = await fileDeviceKey(path).publicKey();
    assert.equal(await fileDeviceKey(path).publicKey(), x);
  });
});

/** A stand-in for Electron's safeStorage that inverts each byte. */
const turned = (bytes: Uint8Array) => Buffer.from(bytes.map((byte) => byte ^ 0xff));
const SYNC: SafeStorage = {
  isEncryptionAvailable: () => true,
  encryptString: (text) => turned(Buffer.from(text)),
  decryptString(bytes) {
    const text = turned(bytes).toString();
    if (text.includes('\ufffd')) throw new Error('Error while decrypting the ciphertext');
    return text;
  },
};
const ASYNC: SafeStorage = {
  isAsyncEncryptionAvailable: async () => true,
  encryptStringAsync: async (text) => turned(Buffer.from(text)),
  decryptStringAsync: async (bytes) => ({ result: String(SYNC.decryptString?.(bytes)) }),
};
const NONE: SafeStorage = { isAsyncEncryptionAvailable: async () => false };

suite('a storage with safeStorage of Electron', () => {
  for (const [name, safeStorage] of [
    ['synchronous (until version 45)', SYNC],
    ['asynchronous', ASYNC],
  ] as const)
    test(`encrypts with the ${name} API`, async () => {
      const path = join(temporaryFolder(), 'license');
      await electronStorage(safeStorage, path).save('{"token":"secret"}');
      assert.doesNotMatch(readFileSync(path, 'latin1'), /token|secret/);
      assert.equal(modeOf(path), 0o600);
      for (const later of [SYNC, ASYNC])
        assert.equal(await electronStorage(later, path).load(), '{"token":"secret"}');
      await electronStorage(safeStorage, path).clear();
      assert.equal(await electronStorage(safeStorage, path).load(), null);
    });
  test('loses nothing while the keyring is locked; text that it cannot decrypt counts as absent', async () => {
    const path = join(temporaryFolder(), 'license');
    await electronStorage(ASYNC, path).save('text');
    await assert.rejects(electronStorage(NONE, path).load());
    writeFileSync(path, 'safe:of another keyring');
    assert.equal(await electronStorage(ASYNC, path).load(), null);
  });
  test('stores plain text if encryption is not available, and reads that text later', async () => {
    const path = join(temporaryFolder(), 'license');
    await electronStorage(NONE, path).save('text');
    assert.equal(readFileSync(path, 'utf8'), 'text');
    assert.equal(await electronStorage(ASYNC, path).load(), 'text');
  });
  test('keeps a device key', async () => {
    const path = join(temporaryFolder(), 'device.key');
    const x = await electronDeviceKey(ASYNC, path).publicKey();
    assert.equal(await electronDeviceKey(ASYNC, path).publicKey(), x);
  });
});

test('a device has a stable fingerprint, which differs from program to program', async () => {
  const [one, again, other] = await Promise.all(
    ['acme', 'acme', 'other'].map((app) => deviceFingerprint(app)),
  );
  assert.equal(one, again);
  if (!one) return assert.equal(other, one);
  assert.match(one, /^[\w-]{43}$/);
  assert.notEqual(one, other);
});
