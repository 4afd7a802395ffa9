import type { Running } from '../service.ts';
import { until } from '../until.ts';
import { basicHeader } from './api.ts';
import { incomingFiles } from './artifacts.ts';

/** Multipart forms, byte for byte. */
export const BOUNDARY = 'latchkey-test-boundary';

export const field = (name: string, value: string) =>
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
export const filePart = (content: Buffer | string, name = 'file', disposition = '; filename="a.zip"') =>
  Buffer.concat([
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${disposition}\r\n` +
        'Content-Type: application/zip\r\n\r\n',
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
export const form = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);

/** Returns the head of an upload, with the boundary unless `headers` have a content type. */
export const uploadHead = (
  { credentials }: Running,
  path: string,
  headers: string[],
  method = 'POST',
): string =>
  [
    `${method} /wp-json/dlm/v1${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: ${basicHeader(credentials)}`,
    ...(headers.some((one) => /^content-type:/i.test(one))
      ? []
      : [`Content-Type: multipart/form-data; boundary=${BOUNDARY}`]),
    ...headers,
    '\r\n',
  ].join('\r\n');

/** Waits until `count` uploads are under way. */
export const comingIn = (api: Running, count: number): Promise<void> =>
  until(() => incomingFiles(api.dataDir).length === count);
