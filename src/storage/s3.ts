import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type ByteStore, BytesMissing, STORAGE_KEY, StorageUnavailable } from './storage.ts';

export interface S3Options {
  bucket: string;
  /** URL of an S3-compatible server; null for Amazon. */
  endpoint: string | null;
  region: string;
  /** Prefix of every key; ends in `/` to make a folder. May be empty. */
  prefix: string;
  /** Null to let the SDK look in the environment, its own files, and the role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
  /** Whether `signedUrl` returns addresses. Clients must be able to reach the endpoint. */
  redirect: boolean;
}

/** Seconds. Enough to follow a redirect; a download that has begun may take longer. */
const SIGNED_URL_LIFETIME = 5 * 60;
const CONNECT_TIMEOUT_MS = 5_000;
/** The longest time without a byte from the storage; in the middle of a body up to twice as long. */
const SILENCE_MS = 30_000;
const ATTEMPTS = 3;
const FIRST_RETRY_MS = 200;
/** Each download through Latchkey holds a socket until it ends; by default the SDK would queue the 51st. */
const MAX_SOCKETS = 500;

/** Returns the SHA-256 in a key, which follows its first two digits and a slash. */
const sha256Of = (key: string): string => key.slice(3, 67);

// Silences the SDK, which would write to the console, for example that it does not retry a streamed upload. `put` retries
// uploads.
const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/**
 * Stores bytes as objects in a bucket. The user needs s3:PutObject, s3:GetObject and s3:DeleteObject on the objects, and
 * s3:ListBucket on the bucket: without it, S3 answers 403 for a missing object.
 * An object of 0 bytes cannot be opened, because a range must not be empty.
 */
export function createS3Store(options: S3Options): ByteStore {
  const { bucket, endpoint, region, prefix, credentials } = options;
  const client = new S3Client({
    region,
    ...(endpoint !== null && { endpoint }),
    // Servers other than Amazon's seldom have a host name for each bucket.
    forcePathStyle: endpoint !== null,
    ...(credentials && { credentials }),
    maxAttempts: ATTEMPTS,
    // By default the SDK sends a CRC in a trailer, which many other servers refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: quiet,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      // Applies until the headers of the answer arrive.
      requestTimeout: SILENCE_MS,
      throwOnRequestTimeout: true,
      // A socket timeout would also end downloads whose client pauses.
      socketTimeout: 0,
      httpAgent: { maxSockets: MAX_SOCKETS },
      httpsAgent: { maxSockets: MAX_SOCKETS },
      logger: quiet,
    },
  });
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + key });
  const unavailable = (error: unknown) =>
    new StorageUnavailable(explain(error as SdkError, options), { cause: error });

  /** Uploads in one request, so that a crash leaves nothing behind: an unfinished multipart upload would stay and cost. */
  async function upload(key: string, file: string): Promise<void> {
    const { size } = await stat(file);
    const source = createReadStream(file);
    const stop = new AbortController();
    let unreadable: Error | undefined;
    source.on('error', (error) => {
      unreadable = error;
      stop.abort(error);
    });
    let taken = -1;
    const watch = setInterval(() => {
      if (source.bytesRead === taken) stop.abort(silenceError());
      taken = source.bytesRead;
    }, SILENCE_MS);
    try {
      const command = new PutObjectCommand({ ...at(key), Body: source, ContentLength: size });
      // The server checks this hash. Without it the SDK sends a stream unchecked and unsigned.
      command.middlewareStack.add(
        (next) => (args) => {
          (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] =
            sha256Of(key);
          return next(args);
        },
        { step: 'build' },
      );
      // The client's `requestTimeout` would include the time of sending.
      await client.send(command, { abortSignal: stop.signal, requestTimeout: 0 });
    } catch (error) {
      const reason = stop.signal.reason ?? error;
      // After a refusal the server may still be reading the rest of the body.
      stop.abort();
      throw unreadable ?? unavailable(reason);
    } finally {
      clearInterval(watch);
      source.destroy();
    }
  }

  return {
    async put(key, file) {
      for (let attempt = 1; ; attempt++) {
        try {
          await upload(key, file);
          break;
        } catch (error) {
          if (attempt === ATTEMPTS || !(error instanceof StorageUnavailable) || !isTransient(error.cause))
            throw error;
          await delay(FIRST_RETRY_MS * 2 ** (attempt - 1));
        }
      }
      await rm(file);
    },

    async open(key, { start, end }) {
      const wanted = end - start + 1;
      const command = new GetObjectCommand({ ...at(key), Range: `bytes=${start}-${end}` });
      const { Body, ContentLength } = await client.send(command).catch((error: SdkError) => {
        throw isMissing(error) || error.name === 'InvalidRange'
          ? new BytesMissing(`no object ${prefix}${key}`, { cause: error })
          : unavailable(error);
      });
      const body = Body as Readable;
      if (ContentLength !== wanted) {
        body.destroy();
        throw new BytesMissing(
          `object ${prefix}${key} has ${ContentLength} bytes in this range instead of ${wanted}`,
        );
      }
      return watched(body, unavailable);
    },

    async signedUrl(key, as) {
      if (!options.redirect) return null;
      const command = new GetObjectCommand({
        ...at(key),
        ResponseContentDisposition: as.contentDisposition,
        ResponseContentType: as.contentType,
      });
      try {
        return await getSignedUrl(client, command, { expiresIn: SIGNED_URL_LIFETIME });
      } catch (error) {
        throw unavailable(error);
      }
    },

    async size(key) {
      try {
        const { ContentLength } = await client.send(new HeadObjectCommand(at(key)));
        return ContentLength ?? null;
      } catch (error) {
        if (!isMissing(error as SdkError)) throw unavailable(error);
      }
      // An answer to HEAD has no body, so a missing bucket looks like a missing object.
      try {
        await client.send(new HeadBucketCommand({ Bucket: bucket }));
      } catch (error) {
        throw unavailable(error);
      }
      return null;
    },

    async remove(key) {
      try {
        await client.send(new DeleteObjectCommand(at(key)));
      } catch (error) {
        if (!isMissing(error as SdkError)) throw unavailable(error);
      }
    },

    async *keys() {
      const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix });
      try {
        for await (const { Contents } of pages) {
          for (const { Key = '', LastModified } of Contents ?? []) {
            const key = Key.slice(prefix.length);
            if (STORAGE_KEY.test(key) && LastModified) yield { key, since: LastModified.getTime() };
          }
        }
      } catch (error) {
        throw unavailable(error);
      }
    },
  };
}

/**
 * Wraps the body of an answer. Fails if the storage sends nothing while the client reads; time in which a slow client reads
 * nothing does not count. Destroying the body closes the connection.
 */
function watched(body: Readable, unavailable: (error: unknown) => Error): Readable {
  let isMoving = true;
  const watch = setInterval(() => {
    if (!isMoving && !reader.writableNeedDrain) reader.destroy(unavailable(silenceError()));
    isMoving = false;
  }, SILENCE_MS);
  const reader = new PassThrough({
    transform(chunk, _encoding, done) {
      isMoving = true;
      done(null, chunk);
    },
  });
  body.once('error', (error) => reader.destroy(unavailable(error)));
  pipeline(body, reader, () => clearInterval(watch));
  return reader;
}

const silenceError = () => Object.assign(new Error('no byte for too long'), { code: 'ETIMEDOUT' });

/** An error of the SDK: an answer of the server, whose error code is in `name`, or an error of Node.js. */
interface SdkError extends Error {
  code?: string;
  $metadata?: { httpStatusCode?: number };
  /** Present even if the body of the answer was not XML. */
  $response?: { statusCode?: number };
}

const statusOf = (error: SdkError) => error.$metadata?.httpStatusCode ?? error.$response?.statusCode;

/** Compares the name, because a 404 may come from a server that is no storage. `NotFound` is the name after HEAD. */
const isMissing = ({ name }: SdkError) => name === 'NoSuchKey' || name === 'NotFound';

/** Whether a retry may succeed. */
function isTransient(error: unknown): boolean {
  const status = statusOf(error as SdkError);
  return status === undefined || status === 429 || status >= 500;
}

/** Explains the error to the operator. The SDK's own message stays in the cause: some repeat what was signed. */
function explain(error: SdkError, { bucket, endpoint, region }: S3Options): string {
  const where = endpoint === null ? `Amazon S3 in ${region}` : new URL(endpoint).host;
  const status = statusOf(error);
  const code = error.code ?? error.name;
  if (error.name === 'CredentialsProviderError')
    return 'there are no credentials for S3: set an access key, or give the machine a role';
  if (status === undefined)
    return `${where} cannot be reached (${code}): check the endpoint, the network, and that the server runs`;
  if (status === 404)
    return `${where} has no bucket "${bucket}": create it, or correct its name or the endpoint in the settings`;
  if (code === 'RequestTimeTooSkewed') return `${where} has a different time: set the clock of this machine`;
  if (status === 401 || status === 403)
    return `${where} refuses access (${status} ${code}): check the access key, its secret, and that its user may put, get, delete and list objects in bucket "${bucket}"`;
  if (status === 429 || status >= 500)
    return `${where} fails (${status} ${code}): if this does not pass, check its log and its free space`;
  return `${where} refuses a request (${status} ${code}): check the endpoint, the region "${region}" and the bucket "${bucket}"`;
}
