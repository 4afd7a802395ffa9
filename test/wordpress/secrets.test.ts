import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { openDefuse, readDefuseKey, sealDefuse, writeDefuseKey } from '../../src/wordpress/defuse.ts';
import {
  keyHashOf,
  makeSecrets,
  readSecrets,
  secretFiles,
  secretsOfConstants,
} from '../../src/wordpress/secrets.ts';
import { temporaryFolder } from '../support/folder.ts';

const { encryptionKey: key } = makeSecrets();

suite('the secrets of the plugins', () => {
  test('any sealed text opens with its key, and with no other', () => {
    const other = makeSecrets().encryptionKey;
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', '\0', 'é', '中', '🔑', '"', '\u{FEFF}') }),
        (text) => {
          const sealed = sealDefuse(text, key);
          assert.match(sealed, /^def50200[0-9a-f]{160,}$/);
          assert.equal(openDefuse(sealed, key), text);
          assert.equal(openDefuse(sealed, other), null);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('a changed ciphertext does not open', () => {
    const sealed = sealDefuse('LICENSE', key);
    for (let at = 0; at < sealed.length; at++) {
      const digit = sealed[at] === '0' ? '1' : '0';
      assert.equal(
        openDefuse(`${sealed.slice(0, at)}${digit}${sealed.slice(at + 1)}`, key),
        null,
        String(at),
      );
    }
    for (const text of [
      '',
      'x',
      sealed.slice(0, -1),
      sealed.slice(0, -2),
      `${sealed}00`,
      `${sealed} `,
      'def50200',
    ])
      assert.equal(openDefuse(text, key), null);
  });

  test('line ends around the key in defuse.txt are ignored, those in secret.txt are not', async () => {
    const folder = temporaryFolder();
    const write = (defuse: string | Buffer, secret: string | Buffer) => {
      writeFileSync(join(folder, 'defuse.txt'), defuse);
      writeFileSync(join(folder, 'secret.txt'), secret);
    };
    write(` ${writeDefuseKey(key)}\r\n`, 'abc\n');
    const secrets = await readSecrets(folder);
    assert.deepEqual(Buffer.from(secrets.encryptionKey), key);
    assert.equal(keyHashOf('K', secrets), createHmac('sha256', 'abc\n').update('K').digest('hex'));
    assert.deepEqual(secretsOfConstants('dlm', writeDefuseKey(key), 'abc\n'), secrets);

    const files = secretFiles(makeSecrets());
    write(files['defuse.txt'], files['secret.txt']);
    assert.deepEqual(secretFiles(await readSecrets(folder)), files);
    assert.match(files['secret.txt'].toString(), /^[0-9a-f]{64}$/);

    write(writeDefuseKey(key), '');
    await assert.rejects(readSecrets(folder), /secret\.txt is empty/);
    rmSync(join(folder, 'secret.txt'));
    await assert.rejects(readSecrets(folder), /secret\.txt is missing/);
    const file = join(folder, 'defuse.txt');
    await assert.rejects(readSecrets(file), /defuse\.txt is missing: name the folder/);
  });

  test('a malformed key file is refused without showing the key', () => {
    const good = writeDefuseKey(key);
    assert.deepEqual(readDefuseKey(good), key);
    const wrong: [string, RegExp][] = [
      [good.slice(0, -1), /135 characters instead of 136/],
      [`${good.slice(0, -1)}x`, /not hex digits/],
      [`def00001${good.slice(8)}`, /does not begin with def00000/],
      [`def00000${'00'.repeat(32)}${good.slice(72)}`, /checksum/],
      ['', /0 characters/],
    ];
    for (const [text, message] of wrong) {
      assert.throws(
        () => secretsOfConstants('lmfwc', text, 'abc'),
        ({ message: said }: Error) =>
          said.startsWith('LMFWC_PLUGIN_DEFUSE: ') && message.test(said) && !said.includes(good.slice(8, 40)),
      );
    }
  });
});
