import { type Readable, Writable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { refuse } from '../errors.ts';
import { type Parameters, parseForm } from '../parameters.ts';

/** A file in a multipart form, to be read or resumed before what comes after it is. */
export interface FilePart {
  /** Name of the field. */
  field: string;
  /** As its sender has it, without folders; "" where he gave none. */
  fileName: string;
  /** Media type. */
  type: string;
  content: Readable;
  /** The fields that came before it. */
  fieldsBefore(): Parameters;
}

export interface FormReader {
  /** Write the body here. It finishes when the form is read; where that fails, so do the parameters. */
  readonly form: Writable;
  /** The fields, when all of the body is written. Rejects where it is malformed. */
  readonly parameters: Promise<Parameters>;
}

/** Bytes of all fields of a form together. */
const FIELDS_MAX = 1024 * 1024;
/** Each part costs some KiB of memory, however small it is. */
const FILES_MAX = 20;
const PARTS_MAX = 10_000 + FILES_MAX;
/** Decodes to a value that no field takes for text. */
const NO_UTF8 = '%ff';

const malformed = () => refuse('invalid_multipart');
const tooLarge = () => refuse('fields_too_large', { max: FIELDS_MAX });
const tooMany = () => refuse('too_many_parts', { files: FILES_MAX, parts: PARTS_MAX });

/**
 * Reads a multipart form.
 * @param mayBeDamaged whether U+FFFD in a field stands for bytes that were no UTF-8
 * @throws where the headers announce no such form
 */
export function readForm(
  headers: BusboyHeaders,
  mayBeDamaged: boolean,
  onFile: (part: FilePart) => void,
): FormReader {
  let form: InstanceType<typeof Busboy>;
  try {
    form = new Busboy({ headers, limits: { fieldSize: FIELDS_MAX, files: FILES_MAX, parts: PARTS_MAX } });
  } catch {
    throw malformed();
  }
  goOnAtEnd(form);
  const parameters = new Promise<Parameters>((resolve, reject) => {
    const pairs: string[] = [];
    let size = 0;
    /** What is thrown in an event of a stream, nobody could catch: it would end the process. */
    const guarded =
      <A extends unknown[]>(listener: (...args: A) => void) =>
      (...args: A): void => {
        try {
          listener(...args);
        } catch (error) {
          reject(error);
        }
      };
    form.on(
      'field',
      guarded((name: string | undefined, value: string) => {
        if (name === undefined) throw malformed();
        const damaged = !value.isWellFormed() || (mayBeDamaged && value.includes('\ufffd'));
        // A field that was cut at its limit is past that of all together.
        size += name.length + value.length;
        if (size >= FIELDS_MAX) throw tooLarge();
        pairs.push(
          `${encodeURIComponent(name.toWellFormed())}=${damaged ? NO_UTF8 : encodeURIComponent(value)}`,
        );
      }),
    );
    form.on(
      'file',
      guarded((field: string | undefined, content, fileName, _encoding, type) => {
        content.on('error', () => reject(malformed()));
        if (field === undefined) throw malformed();
        const fieldsBefore = () => parseForm(pairs.join('&'));
        onFile({ field, fileName: unescaped(fileName ?? ''), type, content, fieldsBefore });
      }),
    );
    for (const limit of ['filesLimit', 'partsLimit'] as const) form.on(limit, () => reject(tooMany()));
    form.on('error', () => reject(malformed()));
    // Names may nest by brackets, so the pairs are read as a form is.
    form.on(
      'finish',
      guarded(() => resolve(parseForm(pairs.join('&')))),
    );
  });
  // Whoever stops half way asks for them no more.
  parameters.catch(() => {});
  return { form: asStream(form, parameters), parameters };
}

/**
 * Works around a fault of busboy: a long part that it skips pauses its parser, and where the form ends in the same chunk,
 * the parser finishes while paused and busboy never finishes. Resume the parser first. These fields are private, so
 * package.json pins the version (docs/decisions/0016-own-code-that-went.md).
 */
function goOnAtEnd(form: object): void {
  const { parser } = (form as { _parser: { parser: Writable & { _unpause(): void } } })._parser;
  parser.prependListener('finish', () => parser._unpause());
}

/** Busboy says that it has finished at the last boundary, once, and no more when it is ended: a pipeline would wait for it. */
function asStream(form: Writable, read: Promise<unknown>): Writable {
  const stream = new Writable({
    write: (chunk, _encoding, done) => void form.write(chunk, done),
    final(done) {
      form.end();
      read.then(() => done(), done);
    },
    destroy(error, done) {
      form.destroy();
      done(error);
    },
  });
  // Whoever wants to know asks for the parameters.
  return stream.on('error', () => {});
}

/** Browsers escape just these three in the names of files (HTML, multipart/form-data encoding algorithm). */
const unescaped = (name: string): string =>
  name.replace(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
