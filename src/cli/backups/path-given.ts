import { Failure } from '../failure.ts';
import { flagOfParameter } from '../names.ts';
import type { Given } from '../settings.ts';

/** The path in a flag; null when it was not given. @throws Failure when it is empty */
export function pathGiven(given: Given, name: string): string | null {
  const path = given[name];
  if (path === undefined) return null;
  if (path === '') throw new Failure(2, 'invalid_value', `${flagOfParameter(name)} must not be empty.`);
  return String(path);
}
