import type { FastifyRequest } from 'fastify';
import {
  type Changes,
  type Created,
  integer,
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

const id = integer({ max: Number.MAX_SAFE_INTEGER });

/** A record id out of a path; null for what is none. */
export function idOf(named: string): number | null {
  const read = id.read(named);
  return read.ok ? read.value : null;
}
