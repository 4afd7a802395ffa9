import type { FastifyRequest } from 'fastify';
import { checkVersion, findOwnRelease, type Upload } from '../../app/releases/releases.ts';
import { findOwnSoftware } from '../../app/releases/software.ts';
import { replaceRelease, storeRelease } from '../../app/releases/uploads.ts';
import type { Actor } from '../../domain/actor.ts';
import { FILE_MAX, fileName, type Release, releaseShape } from '../../domain/releases/release.ts';
import type { Artifacts } from '../../storage/storage.ts';
import type { Reads } from '../../store/store.ts';
import { isStreamed } from '../body.ts';
import { malformed, unwrap } from '../errors.ts';
import { createInput, updateInput } from '../input.ts';
import { untimed } from '../limits/connections.ts';
import { parametersOf } from '../parameters.ts';
import type { Services } from '../services.ts';
import { FILE_FIELD, invalidFile, receiveForm } from './incoming-form.ts';
import type { FilePart } from './multipart.ts';

/** A release as addresses name it. */
export const namedRelease = (params: { software_id: string; release_id: string }) => ({
  software: params.software_id,
  release: params.release_id,
});

/**
 * Creates a release from the fields and the file of a request. Refuses as much as possible before the file arrives.
 * @throws 404 without the software, 409 for a version that exists, and as `withUpload`
 */
export async function createRelease(
  services: Services,
  request: FastifyRequest,
  software: string,
  actor: Actor,
): Promise<Release> {
  const { read } = services.store;
  const { id } = unwrap(await findOwnSoftware(read, software, actor));
  return withUpload(request, services.artifacts, {
    async check() {
      if (parametersOf(request).version !== undefined) await checkNewRelease(request, read, id);
    },
    async use(upload) {
      const input = { software, input: createInput(releaseShape, request) };
      return unwrap(await storeRelease(whileConnected(services, request), input, upload, actor));
    },
  });
}

/** Checks the fields of a new release. @throws 422, 409 for a version that exists */
export async function checkNewRelease(
  request: FastifyRequest,
  read: Pick<Reads, 'releases'>,
  softwareId: number,
): Promise<void> {
  const { version } = createInput(releaseShape, request);
  unwrap(await checkVersion(read, softwareId, version));
}

/**
 * Updates a release with the fields and the file of a request.
 * @param shape shape of the fields
 * @throws as createRelease
 */
export async function updateRelease(
  services: Services,
  request: FastifyRequest,
  named: ReturnType<typeof namedRelease>,
  shape: typeof releaseShape,
  actor: Actor,
): Promise<Release> {
  const { read } = services.store;
  const release = unwrap(await findOwnRelease(read, named, actor));
  return withUpload(request, services.artifacts, {
    async check() {
      const { version } = updateInput(shape, request);
      unwrap(await checkVersion(read, release.softwareId, version, release.id));
    },
    async use(upload) {
      const input = { named, changes: updateInput(shape, request) };
      return unwrap(await replaceRelease(whileConnected(services, request), input, upload, actor));
    },
  });
}

/**
 * Returns the same services, except that placing a file fails if the client has disconnected meanwhile: S3 may take minutes.
 */
const whileConnected = (services: Services, { raw }: FastifyRequest): Services => ({
  ...services,
  artifacts: {
    ...services.artifacts,
    async place(received) {
      await services.artifacts.place(received);
      if (raw.socket.destroyed) throw malformed();
    },
  },
});

interface UploadUse<T> {
  /**
   * Refuses, by throwing, before the file is received. The body of the request holds the fields that precede the file in
   * the form. More fields may follow the file.
   */
  check(): Promise<void>;
  /** The body of the request holds all fields. The upload is null without a file. */
  use(upload: Upload | null): Promise<T>;
}

/**
 * Receives the file of a request to a route with `config.upload` while it arrives, and makes the other fields of the form
 * the body of the request. Discards the file if it is incomplete or `use` has not placed it.
 * @throws 400, 413, 415, 422, and whatever `check` and `use` throw
 */
const withUpload = <T>(
  request: FastifyRequest,
  artifacts: Artifacts,
  { check, use }: UploadUse<T>,
): Promise<T> =>
  untimed(request.raw.socket, async () => {
    const upload = isStreamed(request) ? await receive(request, artifacts, check) : null;
    try {
      if (!upload && ![undefined, null, ''].includes(parametersOf(request)[FILE_FIELD] as never)) {
        throw invalidFile('not_file');
      }
      return await use(upload);
    } finally {
      if (upload) await artifacts.discard(upload);
    }
  });

async function receive(
  request: FastifyRequest,
  artifacts: Artifacts,
  check: () => Promise<void>,
): Promise<Upload | null> {
  const { taken, fields } = await receiveForm(request, FILE_MAX, {
    async take(part) {
      request.body = part.fieldsBefore();
      await check();
      return receiveFile(part, artifacts);
    },
    undo: async (upload) => upload && artifacts.discard(upload),
  });
  request.body = fields;
  return taken;
}

/** Returns null for the empty part that browsers send without a chosen file. */
async function receiveFile(
  { content, fileName: sent, type }: FilePart,
  artifacts: Artifacts,
): Promise<Upload | null> {
  // Do not destroy the part if the storage stops early: the form would report that as its own error.
  const received = await artifacts.receive(content.iterator({ destroyOnReturn: false }), FILE_MAX);
  const name = fileName.read(sent);
  if (received.size > 0 && name.ok) return { ...received, name: name.value, type: mediaType(type) };
  await artifacts.discard(received);
  if (received.size === 0 && sent === '') return null;
  throw name.ok ? invalidFile('empty') : invalidFile('bad_file_name', { problem: name.problem });
}

/** A part without a type counts as text/plain. Proxies compress text, and a compressed download cannot be resumed. */
const mediaType = (type: string): string =>
  type !== 'text/plain' && /^[\w.+-]{1,63}\/[\w.+-]{1,127}$/.test(type) ? type : 'application/octet-stream';
