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
  /** The only credentials that the server knows. */
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** All of the above, without a prefix, with redirects. */
  options: S3Options;
  /** Returns every key in the bucket, bypassing our own code. */
  objects(): Promise<string[]>;
  /** Adds an object, bypassing our own code. */
  plant(key: string, content: string): Promise<void>;
  /** Deletes an object, bypassing our own code. */
  lose(key: string): Promise<void>;
  /** Returns the number of open connections. */
  connections(): Promise<number>;
  /** Stops the server before the test ends, to make the storage unavailable. */
  stop(): Promise<void>;
}

/** Returns the settings of a service that keeps its files on this server. */
export const settingsOf = ({ bucket, endpoint, credentials }: S3Server): Partial<StoreConfig> => ({
  s3Bucket: bucket,
  s3Endpoint: endpoint,
  s3AccessKeyId: credentials.accessKeyId,
  s3SecretAccessKey: credentials.secretAccessKey,
});

// The server compares signatures, but computes them differently from Amazon and the SDK: it drops the slash at the end
// of `/bucket/`, and does not encode some characters of the query.
const { getStringToSign } = v4;
v4.getStringToSign = (canonical, request) => {
  const uri = /^\/[^/]+$/.test(canonical.uri) ? `${canonical.uri}/` : canonical.uri;
  const querystring = canonical.querystring.replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return getStringToSign({ ...canonical, uri, querystring }, request);
};

// The server makes its page tokens with DES. OpenSSL 3 has only triple DES, which with the same key three times is DES.
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
 * Starts an S3 server on a free port, with an empty bucket. It stops after the test. It checks the signatures of
 * requests and presigned URLs, and the expiry of URLs. It accepts requests without a signature, and does not compare
 * content with its hash.
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
  // The server treats an end of 0 as no end, unless it is an object.
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
