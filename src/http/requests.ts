import type { FastifyRequest } from 'fastify';
import {
  type Changes,
  type Created,
  type ReadAll,
  readCreate,
  readUpdate,
  type Shape,
} from '../domain/fields.ts';
import { refuse } from './errors.ts';
import { type Parameters, parametersOf } from './parameters.ts';

/** The input of a create. @throws 422 naming each missing or invalid parameter */
export const createInput = <S extends Shape>(shape: S, request: FastifyRequest): Created<S> =>
  valid(readCreate(shape, taken(request)));

/** The input of an update. @throws 422 naming each invalid parameter */
export const updateInput = <S extends Shape>(shape: S, request: FastifyRequest): Changes<S> =>
  valid(readUpdate(shape, taken(request)));

/** The input of a create that holds secrets: from the body only, for addresses are kept in logs. @throws as createInput */
export function secretInput<S extends Shape>(shape: S, request: FastifyRequest): Created<S> {
  const { body } = request;
  request.body = undefined;
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return valid(readCreate(shape, isObject ? Object.assign(Object.create(null), body) : {}));
}

/** The parameters, for good: a body of a megabyte is not to be held for as long as its request waits for the database. */
function taken(request: FastifyRequest): Parameters {
  const parameters = parametersOf(request);
  request.body = undefined;
  return parameters;
}

function valid<T>(read: ReadAll<T>): T {
  if (read.ok) return read.value;
  throw refuse('invalid', { fields: read.problems });
}
