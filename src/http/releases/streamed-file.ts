import type { FastifyRequest } from 'fastify';
import { TooManyBytes } from '../../storage/storage.ts';
import { isStreamed } from '../body.ts';
import { invalid } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import { invalidFile, receiveForm } from './incoming-form.ts';
import type { FilePart } from './multipart.ts';

/** A file that is read while it arrives and is not stored. */
interface StreamedFile {
  /** The fields of the form, which must precede the file. */
  fields: Parameters;
  /** Ends when the file and the form are complete; throws if they are not. */
  content: AsyncIterable<Buffer>;
}

/**
 * Reads the file of a request to a route with `config.upload` while it arrives.
 * @param max maximum bytes of the file
 * @throws 400, 413, 415, 422, and what `use` throws
 */
export async function withStreamedFile<T>(
  request: FastifyRequest,
  max: number,
  use: (file: StreamedFile) => Promise<T>,
): Promise<T> {
  if (!isStreamed(request)) throw invalidFile('not_file');
  const { taken } = await receiveForm(request, max, {
    async take(part, whole) {
      const fields = part.fieldsBefore();
      const file = { fields, content: contentOf(part, fields, max, whole) };
      // Unread content would block the rest of the form.
      const value = await use(file).finally(() => part.content.resume());
      return { value };
    },
    undo: async () => {},
  });
  if (!taken) throw invalidFile('required');
  return taken.value;
}

async function* contentOf(
  { content }: FilePart,
  fields: Parameters,
  max: number,
  whole: Promise<Parameters>,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of content.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > max) throw new TooManyBytes('the file is too large');
    yield chunk as Buffer;
  }
  const late = Object.keys(await whole).find((name) => !(name in fields));
  if (late !== undefined) throw invalid(late, 'behind_file');
}
