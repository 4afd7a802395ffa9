import type { FastifyRequest } from 'fastify';
import {
  type Changes,
  type Created,
  isObject,
  parameterName,
  type ReadAll,
  readCreate,
  readUpdate,
  type Shape,
} from '../domain/fields.ts';
import { refuse } from './errors.ts';
import { type Parameters, parametersOf } from './parameters.ts';

type JsonSchema = Record<string, unknown>;

/** The input of a route: its description in the API document, and how to read it from a request. */
export interface Input<T> {
  schema: { querystring?: JsonSchema; body?: JsonSchema };
  /** @throws 422 naming each missing or invalid parameter */
  read(request: FastifyRequest): T;
}

export const query = <S extends Shape>(shape: S): Input<Created<S>> => ({
  schema: { querystring: parameterSchema(shape, 'query') },
  read: (request) => createInput(shape, request),
});

export const create = <S extends Shape>(shape: S): Input<Created<S>> => ({
  schema: { body: parameterSchema(shape, 'create') },
  read: (request) => createInput(shape, request),
});

export const update = <S extends Shape>(shape: S): Input<Changes<S>> => ({
  schema: { body: parameterSchema(shape, 'update') },
  read: (request) => updateInput(shape, request),
});

/** A create that contains secrets: read from the body only, because servers log addresses. */
export const secrets = <S extends Shape>(shape: S): Input<Created<S>> => ({
  schema: { body: parameterSchema(shape, 'create') },
  read(request) {
    const { body } = request;
    request.body = undefined;
    return valid(readCreate(shape, isObject(body) ? Object.assign(Object.create(null), body) : {}));
  },
});

/** A body that the handler reads itself. */
export const unread = (schema: JsonSchema): Input<null> => ({ schema: { body: schema }, read: () => null });

/** Adds the field `file` to the schema of a form. */
export const withFile = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: {
    ...(schema.properties as object),
    file: { type: 'string', format: 'binary', description: 'In multipart/form-data, up to 2 GiB' },
  },
});

/**
 * Returns the JSON schema of a shape's parameters. An update requires none of them. In JSON, null leaves a parameter of a
 * create out, and clears a value in an update.
 */
export function parameterSchema(shape: Shape, use: 'create' | 'update' | 'query'): JsonSchema {
  const entries = Object.entries(shape).map(([name, entry]) => [parameterName(name), entry] as const);
  const required = entries.filter(([, entry]) => entry.required && use === 'create').map(([name]) => name);
  const takesNull = (entry: Shape[string]) =>
    use === 'create' ? !entry.required : use === 'update' && entry.clearable;
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      entries.map(([name, entry]) => [
        name,
        takesNull(entry) ? orNull(entry.field.schema) : entry.field.schema,
      ]),
    ),
  };
}

/** Returns a schema that also allows null. */
const orNull = ({ anyOf, ...schema }: JsonSchema): JsonSchema =>
  Array.isArray(anyOf)
    ? { anyOf: [...anyOf, { type: 'null' }], ...schema }
    : {
        ...schema,
        type: [schema.type, 'null'].flat(),
        ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }),
      };

/** Reads the parameters of a create. @throws 422 naming each missing or invalid parameter */
export const createInput = <S extends Shape>(shape: S, request: FastifyRequest): Created<S> =>
  valid(readCreate(shape, takeParameters(request)));

/** Reads the parameters of an update. @throws 422 naming each invalid parameter */
export const updateInput = <S extends Shape>(shape: S, request: FastifyRequest): Changes<S> =>
  valid(readUpdate(shape, takeParameters(request)));

/** Returns the parameters, and drops the body: it may be 1 MiB, and the request may wait for the database. */
function takeParameters(request: FastifyRequest): Parameters {
  const parameters = parametersOf(request);
  request.body = undefined;
  return parameters;
}

function valid<T>(read: ReadAll<T>): T {
  if (read.ok) return read.value;
  throw refuse('invalid', { fields: read.problems });
}
