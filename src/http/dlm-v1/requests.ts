import type { FastifyRequest } from 'fastify';
import {
  type Changes,
  type Created,
  type ReadAll,
  readCreate,
  readUpdate,
  type Shape,
} from '../../domain/fields.ts';
import { invalid } from '../errors.ts';
import { parametersOf } from '../parameters.ts';

/** The input of a create. @throws 422 naming each missing or invalid parameter */
export const createInput = <S extends Shape>(shape: S, request: FastifyRequest): Created<S> =>
  valid(readCreate(shape, parametersOf(request)));

/** The input of an update. @throws 422 naming each invalid parameter */
export const updateInput = <S extends Shape>(shape: S, request: FastifyRequest): Changes<S> =>
  valid(readUpdate(shape, parametersOf(request)));

function valid<T>(read: ReadAll<T>): T {
  if (read.ok) return read.value;
  throw invalid(read.params);
}
