import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { basicHeader } from '../../support/http/api.ts';
import { Wire, type WireAnswer } from '../../support/http/wire.ts';
import type { RunningProcess } from '../../support/process.ts';

/** Every file of the storage in a data directory, partial uploads included. */
export function artifactFiles(dataDir: string): string[] {
  const folder = join(dataDir, 'artifacts');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name));
}

/** Uploads in progress, or left by a crash. */
const partialUploads = (dataDir: string): string[] =>
  artifactFiles(dataDir).filter((path) => /incoming\/[0-9a-f]+-\d+$/.test(path));

/** Resolves when a new upload is in progress, or the receiving process has ended. */
export async function whenReceiving(
  dataDir: string,
  child: { exitCode: number | null },
  earlier: readonly string[] = [],
): Promise<void> {
  while (child.exitCode === null && partialUploads(dataDir).every((path) => earlier.includes(path)))
    await setTimeout(5);
}

const BOUNDARY = 'half-and-half';
const HALF = 300_000;

/** Sends the first half of a release to a server, and waits until the server is receiving the file. */
export async function beginUpload(
  server: RunningProcess,
  dataDir: string,
  softwareId: number,
): Promise<{ finish(): Promise<WireAnswer>; close(): void }> {
  const head = [
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="version"\r\n\r\n9.9.9\r\n`,
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="half.zip"\r\n\r\n`,
  ].join('');
  const tail = `\r\n--${BOUNDARY}--\r\n`;
  const earlier = partialUploads(dataDir);
  const wire = await Wire.open(Number(new URL(server.origin).port));
  wire.write(
    [
      `POST /wp-json/dlm/v1/software/${softwareId}/releases HTTP/1.1`,
      'host: localhost',
      `authorization: ${basicHeader(server.credentials)}`,
      `content-type: multipart/form-data; boundary=${BOUNDARY}`,
      `content-length: ${head.length + 2 * HALF + tail.length}`,
      `\r\n${head}${'a'.repeat(HALF)}`,
    ].join('\r\n'),
  );
  await whenReceiving(dataDir, server.child, earlier);
  return {
    finish: () => wire.write('b'.repeat(HALF) + tail).answer(),
    close: () => wire.close(),
  };
}
