import type { FastifyRequest } from 'fastify';
import type { Upload } from '../app/releases.ts';
import { FILE_MAX, fileName } from '../domain/release.ts';
import type { Artifacts } from '../storage/storage.ts';
import { isStreamed } from './body.ts';
import { untimed } from './connections.ts';
import { FILE_FIELD, invalidFile, receiveForm } from './incoming-form.ts';
import type { FilePart } from './multipart.ts';
import { parametersOf } from './parameters.ts';

/**
 * Takes in the file of a request to a route that has `config.upload`, while it arrives, and makes the fields beside it
 * the body of the request. Null where there is none. Nothing stays of a file that does not come in whole, nor of one that
 * `use` has not placed; what it has is up to `use`.
 * @throws 400, 413, 415, 422
 */
export const withUpload = <T>(
  request: FastifyRequest,
  artifacts: Artifacts,
  use: (upload: Upload | null) => Promise<T>,
): Promise<T> => untimed(request.raw.socket, () => receiveAndUse(request, artifacts, use));

async function receiveAndUse<T>(
  request: FastifyRequest,
  artifacts: Artifacts,
  use: (upload: Upload | null) => Promise<T>,
): Promise<T> {
  const upload = isStreamed(request) ? await receive(request, artifacts) : null;
  try {
    if (!upload && ![undefined, null, ''].includes(parametersOf(request)[FILE_FIELD] as never)) {
      throw invalidFile('must be a file in a multipart/form-data body.');
    }
    return await use(upload);
  } finally {
    if (upload) await artifacts.discard(upload);
  }
}

/** Makes the fields of the form the body of the request. */
async function receive(request: FastifyRequest, artifacts: Artifacts): Promise<Upload | null> {
  const { taken, fields } = await receiveForm(request, FILE_MAX, {
    take: (part) => receiveFile(part, artifacts),
    undo: async (upload) => upload && artifacts.discard(upload),
  });
  request.body = fields;
  return taken;
}

/** Null for the empty part that browsers send where no file was chosen. */
async function receiveFile(
  { content, fileName: sent, type }: FilePart,
  artifacts: Artifacts,
): Promise<Upload | null> {
  // Where it is not taken to its end, the form would take an end that we put to it for a fault of its own.
  const received = await artifacts.receive(content.iterator({ destroyOnReturn: false }), FILE_MAX);
  const name = fileName.read(sent);
  if (received.size > 0 && name.ok) return { ...received, name: name.value, type: mediaType(type) };
  await artifacts.discard(received);
  if (received.size === 0 && sent === '') return null;
  throw invalidFile(name.ok ? 'must not be empty.' : `must have another name: it ${name.reason}`);
}

const mediaType = (type: string): string =>
  /^[\w.+-]{1,63}\/[\w.+-]{1,127}$/.test(type) ? type : 'application/octet-stream';
