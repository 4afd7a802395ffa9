import { randomBytes } from 'node:crypto';
import { newName } from '../support/http/api.ts';
import { hexHash } from '../support/http/artifacts.ts';
import { mine, some } from './belongings.ts';
import type { Client } from './client.ts';
import { certain, count, type Release, type ReleaseState } from './journal.ts';

/** Sizes of uploaded files in bytes. */
const [LEAST_BYTES, MOST_BYTES] = [10 * 1024, 4 * 1024 ** 2];

/**
 * The last uploaded file of any client. Others may upload it again, because identical files are stored once.
 */
let lastFile: Buffer | null = null;

export async function upload(client: Client): Promise<true> {
  const { random } = client;
  const slug = newName().toLowerCase();
  const json = { name: slug, slug, access: 'public' };
  const software = await client.call('software', ['POST', '/software', { json }]);
  if (software?.status !== 200) return true;
  const again = lastFile !== null && random.chance(0.2);
  const file: Buffer = again ? (lastFile as Buffer) : randomBytes(random.magnitude(LEAST_BYTES, MOST_BYTES));
  lastFile = file;
  const release: Release = {
    slug,
    softwareId: software.body.data.id,
    id: null,
    downloads: { answered: 0, asked: 0 },
    possible: [null],
  };
  mine(client).releases.push(release);
  const path = `/software/${release.softwareId}/releases`;
  const multipart = { version: '1.0.0', file: new File([new Uint8Array(file)], `${slug}.zip`) };
  const state = { sha256: hexHash('sha256', file), size: file.length };
  const answer = await client.change('upload', release, state, ['POST', path, { multipart }]);
  if (answer) release.id = answer.body.data.id;
  return true;
}

const ownRelease = (client: Client) =>
  some(client, mine(client).releases, (one) => certain(one) !== null && one.id !== null);

export async function deleteRelease(client: Client): Promise<boolean> {
  const release = ownRelease(client);
  if (!release) return false;
  const path = `/software/${release.softwareId}/releases/${release.id}`;
  const { sha256 } = certain(release) as ReleaseState;
  await client.change('delete release', release, null, ['DELETE', path]);
  if (release.possible.length > 1) client.journal.leavable.add(sha256);
  return true;
}

export async function download(client: Client): Promise<boolean> {
  const release = ownRelease(client);
  if (!release) return false;
  const { journal } = client;
  journal.touched.add(release);
  const found = await client.call('update check', ['GET', `/software/${release.softwareId}`]);
  if (found?.status !== 200) return true;
  const outcome = await client.during('download', fetchFile(release, found.body.data.download_url));
  count(journal, 'download', outcome === null ? 'unanswered' : outcome === 503 ? 'unavailable' : 'done');
  if (typeof outcome === 'string') journal.faults.push(outcome);
  return true;
}

/**
 * Downloads the file of a release and checks that it is complete and the right one.
 * @returns 200 or 503; null if the connection broke; otherwise a description of the fault
 */
export async function fetchFile(release: Release, url: string): Promise<200 | 503 | null | string> {
  const { sha256, size } = certain(release) as ReleaseState;
  release.downloads.asked++;
  const response = await fetch(url).catch(() => null);
  if (response?.status === 200) release.downloads.answered++;
  const bytes = await response?.arrayBuffer().catch(() => null);
  if (!response || !bytes) return null;
  if (response.status === 503) return 503;
  if (response.status !== 200) return `${release.slug}: the download answered ${response.status}`;
  const actual = hexHash('sha256', Buffer.from(bytes));
  return actual === sha256 && bytes.byteLength === size
    ? 200
    : `${release.slug}: ${bytes.byteLength} bytes with SHA-256 ${actual} instead of ${size} bytes with ${sha256}`;
}
