import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { toSeconds } from '../../domain/datetime.ts';
import type { EndpointSecrets, EventEndpoint } from '../../domain/events/endpoint.ts';

// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
const SECRET = 'whsec_';
const PRIVATE_KEY = 'whsk_';
const PUBLIC_KEY = 'whpk_';
/** The standard requires 24 to 64 bytes. */
const SECRET_BYTES = 32;
/** DER prefix of the 32 bytes of an Ed25519 private key. https://www.rfc-editor.org/rfc/rfc8410.html#section-7 */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns a new secret. The HMAC key is the decoded bytes, not the text. */
export const newSecret = (): string => `${SECRET}${randomBytes(SECRET_BYTES).toString('base64')}`;

/** Returns a new secret and an Ed25519 key pair. Each key is 32 bytes in base64; the private key is the seed. */
export function newEndpointSecrets(): { secret: string; privateKey: string; publicKey: string } {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const inBase64 = (bytes: string | undefined) => Buffer.from(String(bytes), 'base64url').toString('base64');
  return {
    secret: newSecret(),
    privateKey: `${PRIVATE_KEY}${inBase64(d)}`,
    publicKey: `${PUBLIC_KEY}${inBase64(x)}`,
  };
}

/** What an attempt to deliver signs. */
export interface SignedMessage {
  /** Id of the event, the same in each attempt. */
  id: string;
  /** Seconds since 1970: the time of the attempt. */
  at: number;
  body: string;
}

export type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

/**
 * Returns a function that signs for one endpoint: with its secret, with the old secret until `oldSecretUntil`, and with its
 * private key. Imports the keys once, because an endpoint may get thousands of messages.
 */
export function createWebhookSigner(
  { secret, oldSecret, privateKey }: Pick<EndpointSecrets, 'secret' | 'oldSecret' | 'privateKey'>,
  { oldSecretUntil }: Pick<EventEndpoint, 'oldSecretUntil'>,
): (message: SignedMessage) => SignatureHeaders {
  const present = secretKey(secret);
  const old = oldSecret === null ? null : secretKey(oldSecret);
  const oldEnds = oldSecretUntil === null ? 0 : toSeconds(oldSecretUntil);
  const seed = Buffer.from(privateKey.slice(PRIVATE_KEY.length), 'base64');
  const signingKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  return ({ id, at, body }) => {
    const content = `${id}.${at}.${body}`;
    const secrets = old !== null && at < oldEnds ? [present, old] : [present];
    const signatures = [
      ...secrets.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`),
      `v1a,${sign(null, Buffer.from(content), signingKey).toString('base64')}`,
    ];
    return {
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': signatures.join(' '),
    };
  };
}

const secretKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(SECRET.length), 'base64'));
