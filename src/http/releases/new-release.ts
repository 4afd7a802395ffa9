import type { FastifyRequest } from 'fastify';
import { checkVersion } from '../../app/releases/releases.ts';
import { releaseShape } from '../../domain/release.ts';
import type { Reads } from '../../store/store.ts';
import { unwrap } from '../errors.ts';
import { createInput } from '../requests.ts';

/**
 * Refuses what a release can not be created of: fields that are no good, and a version that the software has.
 * @throws 422 data_error, 409 for the version
 */
export async function checkNewRelease(
  request: FastifyRequest,
  read: Pick<Reads, 'releases'>,
  softwareId: number,
): Promise<void> {
  const { version } = createInput(releaseShape, request);
  unwrap(await checkVersion(read, softwareId, version));
}
