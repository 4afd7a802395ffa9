import { type Readable, Writable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { refuse } from '../errors.ts';
import { type Parameters, parseForm } from '../parameters.ts';

/** A file in a multipart form. Its content must be read or resumed before the form goes on. */
export interface FilePart {
  /** Name of the field. */
  field: string;
  /** The name without folders; "" without a name. */
  fileName: string;
  /** Media type. */
  type: string;
  content: Readable;
  /** The fields that precede the file. */
  fieldsBefore(): Parameters;
}

interface FormReader {
  /** Write the body here. The stream finishes when the form is read. Errors reject the parameters. */
  readonly form: Writable;
  /** Resolves with the fields when the whole body is written. Rejects if the body is malformed. */
  readonly parameters: Promise<Parameters>;
}

/** Maximum bytes of all fields of a form together. */
const FIELDS_MAX = 1024 * 1024;
/** Limits of files and parts: even a small part takes a few KiB of memory. */
const FILES_MAX = 20;
const PARTS_MAX = 10_000 + FILES_MAX;
/** Decodes to a value that every field refuses. */
const NO_UTF8 = '%ff';

const malformed = () => refuse('invalid_multipart');
const tooLarge = () => refuse('fields_too_large', { max: FIELDS_MAX });
const tooMany = () => refuse('too_many_parts', { files: FILES_MAX, parts: PARTS_MAX });

/**
 * Reads a multipart form.
 * @param mayBeDamaged whether U+FFFD in a field may come from bytes that are not UTF-8
 * @throws if the headers are not those of a multipart form
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
    /** Catches what a listener throws: nothing else would, and the process would end. */
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
        // Busboy cuts a field at FIELDS_MAX, so the sum reaches the limit.
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
    // Names may nest with brackets, so the pairs are parsed as a form.
    form.on(
      'finish',
      guarded(() => resolve(parseForm(pairs.join('&')))),
    );
  });
  // A caller that stops early does not read the parameters.
  parameters.catch(() => {});
  return { form: asStream(form, parameters), parameters };
}

/**
 * Works around a bug in busboy: skipping a long part pauses the parser. If the form ends in the same chunk, the parser
 * finishes while paused and busboy never finishes. Resume the parser first. These fields are private, so package.json pins
 * the version (docs/decisions/0016-own-code-that-went.md).
 */
function goOnAtEnd(form: object): void {
  const { parser } = (form as { _parser: { parser: Writable & { _unpause(): void } } })._parser;
  parser.prependListener('finish', () => parser._unpause());
}

/**
 * Wraps busboy, which emits `finish` at the last boundary and not when the stream is ended, so a pipeline would wait
 * forever.
 */
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
  // The error also rejects the parameters.
  return stream.on('error', () => {});
}

/** Browsers escape these three characters in file names (HTML, multipart/form-data encoding algorithm). */
const unescaped = (name: string): string =>
  name.replace(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
