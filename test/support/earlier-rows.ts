import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { ENGINE, runSql } from './engine.ts';
import { keyFile } from './rotation.ts';

/** Returns bytes as an SQL literal. */
export const literal = (bytes: Buffer): string =>
  ENGINE === 'sqlite' ? `x'${bytes.toString('hex')}'` : `'\\x${bytes.toString('hex')}'::bytea`;

/** Gives rows the form in which earlier versions stored them. */
export function earlierRows(dataDir: string) {
  const derived = (purpose: string, bytes = 32) =>
    Buffer.from(hkdfSync('sha256', keyFile(dataDir), '', `latchkey ${purpose}`, bytes));
  /** Returns the HMAC by which `hashed-…` names a license. Earlier versions stored it unchanged. */
  const hash = (licenseKey: string) =>
    createHmac('sha256', derived('license key hash')).update(licenseKey).digest();
  /** Seals a license key with its hash as additional data; version 1 has no hash there. */
  const sealed = (version: 1 | 2, licenseKey: string) => {
    const header = Buffer.concat([Buffer.from([version]), derived('key id', 4)]);
    const nonce = randomBytes(12);
    const context = version === 1 ? header : Buffer.concat([header, hash(licenseKey)]);
    const key = derived('license key encryption');
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context);
    return Buffer.concat([header, nonce, cipher.update(licenseKey), cipher.final(), cipher.getAuthTag()]);
  };
  return {
    hash,
    /** Version and key id, with which texts begin that are sealed under the current master key. */
    header: () => Buffer.concat([Buffer.from([2]), derived('key id', 4)]),
    /** Seals a secret under the key that was for secrets, without a header. */
    secret(text: string, context: string): Buffer {
      const key = Buffer.from(hkdfSync('sha256', derived('data root'), '', 'latchkey user secrets', 32));
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    },
    /** @param where the SQL condition that selects the row */
    async license(licenseKey: string, where: string, version: 1 | 2 = 2, table = 'licenses') {
      const [key_hash, sealed_key] = [hash(licenseKey), sealed(version, licenseKey)].map(literal);
      await runSql(
        dataDir,
        `update ${table} set key_hash = ${key_hash}, sealed_key = ${sealed_key} where ${where}`,
      );
    },
    activation: (id: number, token: string) =>
      runSql(dataDir, `update activations set token = '${token}', sealed_token = null where id = ${id}`),
  };
}
