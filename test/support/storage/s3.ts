import crypto from 'node:crypto';
import S3rver from '@20minutes/s3rver';
import v4 from '@20minutes/s3rver/lib/signature/v4.js';
import type { StoreConfig } from '../../../src/installation/service.ts';
import type { S3Options } from '../../../src/storage/s3.ts';
import { temporaryFolder } from '../folder.ts';

export interface S3Server {
  endpoint: string;
  bucket: string;
  region: string;
  /** The only ones that the server knows. */
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** All of the above, without a prefix, with redirects. */
  options: S3Options;
  /** Every key in the bucket, behind the back of our own code. */
  objects(): Promise<string[]>;
  /** Puts an object there, behind the back of our own code. */
  plant(key: string, content: string): Promise<void>;
  /** Loses an object, behind the back of our own code. */
  lose(key: string): Promise<void>;
  /** Open connections. */
  connections(): Promise<number>;
  /** Stops it before the test ends: the storage is away. */
  stop(): Promise<void>;
}

/** Settings of a service that keeps files there. */
export const settingsOf = ({ bucket, endpoint, credentials }: S3Server): Partial<StoreConfig> => ({
  s3Bucket: bucket,
  s3Endpoint: endpoint,
  s3AccessKeyId: credentials.accessKeyId,
  s3SecretAccessKey: credentials.secretAccessKey,
});

// The server compares signatures, but does not compute them as Amazon and the SDK do: it forgets the slash at the end of
// `/bucket/`, and leaves characters of the query as they are.
const { getStringToSign } = v4;
v4.getStringToSign = (canonical, request) => {
  const uri = /^\/[^/]+$/.test(canonical.uri) ? `${canonical.uri}/` : canonical.uri;
  const querystring = canonical.querystring.replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return getStringToSign({ ...canonical, uri, querystring }, request);
};

// It makes the tokens of its pages with DES, which OpenSSL 3 has as triple DES only: with one key thrice, that is the same.
type MakeCipher = (algorithm: string, key: Buffer, iv: Buffer, options?: object) => unknown;
for (const name of ['createCipheriv', 'createDecipheriv'] as const) {
  const make = crypto[name] as MakeCipher;
  const makeAny: MakeCipher = (algorithm, key, ...rest) =>
    algorithm === 'des'
      ? make('des-ede3-cbc', Buffer.concat([key, key, key]), ...rest)
      : make(algorithm, key, ...rest);
  Object.assign(crypto, { [name]: makeAny });
}

/**
 * A server that speaks S3 on a free port, with an empty bucket; stopped after the test.
 * It checks the signatures of requests and of addresses, and when addresses expire. It lets in requests that have no
 * signature, and does not compare bytes with their hash.
 */
export async function startS3(t: { after(stop: () => Promise<void>): void }): Promise<S3Server> {
  const bucket = 'releases';
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory: temporaryFolder(),
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  const { httpServer, store } = server;
  const getObject = store.getObject.bind(store);
  // It takes an end of 0 for none, unless it is an object.
  store.getObject = (of, key, range) =>
    getObject(of, key, range?.end === 0 ? { ...range, end: Object(0) } : range);
  const stop = async () => {
    if (!httpServer.listening) return;
    const closed = server.close();
    httpServer.closeAllConnections();
    await closed;
  };
  t.after(stop);
  const endpoint = `http://127.0.0.1:${port}`;
  const region = 'us-east-1';
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  return {
    endpoint,
    bucket,
    region,
    credentials,
    options: { endpoint, bucket, region, credentials, prefix: '', redirect: true },
    objects: async () => (await store.listObjects(bucket, {})).objects.map(({ key }) => key),
    plant: async (key, content) => {
      await store.putObject({ bucket, key, content: Buffer.from(content), metadata: {} });
    },
    lose: async (key) => void (await store.deleteObject(bucket, key)),
    connections: () =>
      new Promise((resolve, reject) =>
        httpServer.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    stop,
  };
}
