import { generateKeyPairSync, sign } from 'node:crypto';

/** Encodes a DER element from its tag and content. */
const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
};
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const name = (text: string) => sequence(der(0x31, sequence(hex('0603550403'), der(0x0c, Buffer.from(text)))));
/** Encodes a time as YYYYMMDDHHMMSSZ. */
const time = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`));

/** Creates a self-signed certificate and its key, as PEM, for tests of TLS. */
export function createCertificate(host: string, validUntil: Date): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const algorithm = sequence(hex('06032b6570'));
  const names = sequence(der(0x82, Buffer.from(host)));
  const body = sequence(
    der(0xa0, hex('020102')),
    hex('020101'),
    algorithm,
    name(host),
    sequence(time(new Date(validUntil.getTime() - 7 * 86_400_000)), time(validUntil)),
    name(host),
    publicKey.export({ format: 'der', type: 'spki' }),
    // Subject alternative names.
    der(0xa3, sequence(sequence(hex('0603551d11'), der(0x04, names)))),
  );
  const signature = sign(null, body, privateKey);
  const encoded = sequence(body, algorithm, der(0x03, hex('00'), signature)).toString('base64');
  return {
    key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    cert: `-----BEGIN CERTIFICATE-----\n${encoded.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}
