import { reference } from '../../domain/fields.ts';
import type { RefusalCode } from '../../domain/refusal.ts';
import { refuse } from '../errors.ts';

const id = reference();

/** The id in an address. @throws 404 with this code if it is no id: no record has it */
export function idOf(sent: string, notFound: RefusalCode & `${string}_not_found`): number {
  const read = id.read(sent);
  if (read.ok) return read.value;
  throw refuse(notFound as 'user_not_found', { named: sent });
}
