import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { toDatetime } from '../../domain/datetime.ts';
import { createWebhookSigner, newEndpointSecrets, newSecret } from './signature.ts';

const secrets = { ...newEndpointSecrets(), oldSecret: null };
// The official library compares timestamps with the machine's clock.
const at = Math.floor(Date.now() / 1_000);
const message = { id: 'evt_0a1b', at, body: '{"type":"license.created","name":"Zoë 💡"}' };

/** Whether the official library accepts the headers. */
function isAccepted(secret: string, headers: Record<string, string>, body = message.body): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

test('secrets have the form of the standard, and each is new', () => {
  const bytes = (text: string, prefix: string) => {
    assert.ok(text.startsWith(prefix), text);
    const encoded = text.slice(prefix.length);
    assert.match(encoded, /^[A-Za-z0-9+/]{43}=$/);
    return Buffer.from(encoded, 'base64').length;
  };
  const lengths = [
    bytes(secrets.secret, 'whsec_'),
    bytes(secrets.privateKey, 'whsk_'),
    bytes(secrets.publicKey, 'whpk_'),
  ];
  assert.deepEqual(lengths, [32, 32, 32]);
  assert.equal(new Set([secrets, newEndpointSecrets()].flatMap((one) => Object.values(one))).size, 7);
});

test('the official library accepts what the secret has signed, and nothing else', () => {
  const headers = createWebhookSigner(secrets, { oldSecretUntil: null })(message);
  assert.equal(headers['webhook-id'], message.id);
  assert.equal(headers['webhook-timestamp'], String(at));
  assert.ok(isAccepted(secrets.secret, headers));
  assert.ok(!isAccepted(newSecret(), headers));
  assert.ok(!isAccepted(secrets.secret, headers, `${message.body} `));
  assert.ok(!isAccepted(secrets.secret, { ...headers, 'webhook-id': 'evt_0a1c' }));
});

test('the public key verifies v1a', () => {
  const { 'webhook-signature': signatures } = createWebhookSigner(secrets, { oldSecretUntil: null })(message);
  assert.match(signatures, /^v1,\S{44} v1a,\S{88}$/);
  const x = Buffer.from(secrets.publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signature = Buffer.from(signatures.split('v1a,')[1] as string, 'base64');
  const isSigned = (content: string) => verify(null, Buffer.from(content), key, signature);
  assert.ok(isSigned(`${message.id}.${at}.${message.body}`));
  assert.ok(!isSigned(`${message.id}.${at + 1}.${message.body}`));
});

test('the old secret signs, too, until its time is over', () => {
  const oldSecret = newSecret();
  const signer = createWebhookSigner(
    { ...secrets, oldSecret },
    { oldSecretUntil: toDatetime((at + 1) * 1_000) },
  );
  const during = signer(message);
  assert.match(during['webhook-signature'], /^v1,\S+ v1,\S+ v1a,\S+$/);
  assert.ok(isAccepted(secrets.secret, during) && isAccepted(oldSecret, during));
  const afterwards = signer({ ...message, at: at + 1 });
  assert.ok(isAccepted(secrets.secret, afterwards));
  assert.ok(!isAccepted(oldSecret, afterwards));
});

// The example of the standard's libraries.
test('a signature is the one that the standard gives', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const sign = createWebhookSigner({ ...secrets, secret }, { oldSecretUntil: null });
  const headers = sign({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: 1_614_265_330,
    body: '{"test": 2432232314}',
  });
  assert.match(headers['webhook-signature'], /^v1,g0hM9SsE\+OTPJTGt\/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1a,/);
});
