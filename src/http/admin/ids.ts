import { reference } from '../../domain/fields.ts';
import { noRecord } from '../errors.ts';

const id = reference();

/** The id in an address. @throws 404 where it is none: then there is no such record */
export function idOf(text: string, record: string): number {
  const read = id.read(text);
  if (read.ok) return read.value;
  throw noRecord(record, text);
}
