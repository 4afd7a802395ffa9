import type { FastifyRequest } from 'fastify';
import type { Upload } from '../../app/releases/releases.ts';
import { FILE_MAX, fileName } from '../../domain/release.ts';
import type { Artifacts } from '../../storage/storage.ts';
import { isStreamed } from '../body.ts';
import { untimed } from '../limits/connections.ts';
import { parametersOf } from '../parameters.ts';
import { FILE_FIELD, invalidFile, receiveForm } from './incoming-form.ts';
import type { FilePart } from './multipart.ts';

interface UploadUse<T> {
  /**
   * Refuses, by throwing, what is wrong already before a large file is taken in for nothing. The body of the request is
   * the fields that stand before the file in the form; there may be others behind it.
   */
  check: () => Promise<void>;
  /** The body of the request is all fields. */
  use: (upload: Upload | null) => Promise<T>;
}

/**
 * Takes in the file of a request to a route that has `config.upload`, while it arrives, and makes the fields beside it
 * the body of the request. Null where there is none. Nothing stays of a file that does not come in whole, nor of one that
 * `use` has not placed; what it has is up to `use`.
 * @throws 400, 413, 415, 422, and what `check` and `use` throw
 */
export const withUpload = <T>(
  request: FastifyRequest,
  artifacts: Artifacts,
  work: UploadUse<T>,
): Promise<T> => untimed(request.raw.socket, () => receiveAndUse(request, artifacts, work));

async function receiveAndUse<T>(
  request: FastifyRequest,
  artifacts: Artifacts,
  { check, use }: UploadUse<T>,
): Promise<T> {
  const upload = isStreamed(request) ? await receive(request, artifacts, check) : null;
  try {
    if (!upload && ![undefined, null, ''].includes(parametersOf(request)[FILE_FIELD] as never)) {
      throw invalidFile('not_file');
    }
    return await use(upload);
  } finally {
    if (upload) await artifacts.discard(upload);
  }
}

/** Makes the fields of the form the body of the request. */
async function receive(
  request: FastifyRequest,
  artifacts: Artifacts,
  check: () => Promise<void>,
): Promise<Upload | null> {
  const { taken, fields } = await receiveForm(request, FILE_MAX, {
    take: async (part) => {
      request.body = part.fieldsBefore();
      await check();
      return receiveFile(part, artifacts);
    },
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
  throw name.ok ? invalidFile('empty') : invalidFile('bad_file_name', { problem: name.problem });
}

const mediaType = (type: string): string =>
  /^[\w.+-]{1,63}\/[\w.+-]{1,127}$/.test(type) ? type : 'application/octet-stream';
