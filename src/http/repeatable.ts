import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { isObject, text } from '../domain/fields.ts';
import type { RepeatableRequest } from '../store/store.ts';
import { refuse } from './errors.ts';

const IDEMPOTENCY_KEY = text({ min: 1, max: 255 });

/** Returns the schema of the headers of a request that may have an Idempotency-Key. */
export const idempotencyHeader = (description: string) => ({
  type: 'object',
  properties: { 'Idempotency-Key': { ...IDEMPOTENCY_KEY.schema, description } },
});

/** Sorts the names within objects: languages write the names of a map in any order. */
const inOrder = (_: string, value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/**
 * Returns the Idempotency-Key of a request, and a digest of what it asks for; null without a key.
 * @param asked what distinguishes the request from others: the operation and the values read from the request
 * @throws 422
 */
export function repeatable({ headers }: FastifyRequest, ...asked: unknown[]): RepeatableRequest | null {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return null;
  const key = IDEMPOTENCY_KEY.read(sent);
  if (!key.ok) throw refuse('invalid', { fields: { 'idempotency-key': key.problem } });
  const digest = createHash('sha256').update(JSON.stringify(asked, inOrder)).digest('base64url');
  return { key: key.value, digest };
}
