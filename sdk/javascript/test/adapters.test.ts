import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
