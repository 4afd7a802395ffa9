import { isDeepStrictEqual } from 'node:util';
import Type, { type TProperties } from 'typebox';

/** Parts of an OpenAPI document. They come from our own schemas, so only the parts that are read have a type. */
// biome-ignore lint/suspicious/noExplicitAny: the document is JSON of many forms; tests validate it
export type Json = Record<string, any>;

/** The media type of errors of the client API (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';

/** The headers of every answer. */
export const ANY_HEADERS = {
  'X-Request-Id': Type.String({ description: 'The id of the request in the log' }),
};
/** The headers of answers that say when to try again. */
export const RETRY_HEADERS = { ...ANY_HEADERS, 'Retry-After': Type.Integer({ description: 'Seconds' }) };

/** Returns the schema of an object. The API document has a component of this name. */
export const record = <P extends TProperties>(title: string, properties: P) =>
  Type.Object(properties, { title });

/** Returns the operations of a document. */
export const operationsOf = (document: Json): { method: string; path: string; operation: Json }[] =>
  Object.entries(document.paths as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ({
      method,
      path,
      operation: operation as Json,
    })),
  );

/**
 * Finishes the document that `@fastify/swagger` made from the routes: says how queries and forms send lists and objects, and
 * moves repeated parts into components. The schemas of the routes stay as they are.
 */
export function finished(document: Json): Json {
  for (const { operation } of operationsOf(document)) {
    const { parameters = [], requestBody } = operation;
    if (parameters.length > 0) {
      const all = (parameters as Json[]).flatMap(sentInQuery);
      const isInPath = ({ in: place }: Json) => place === 'path';
      operation.parameters = [...all.filter(isInPath), ...all.filter((one) => !isInPath(one))];
    }
    const content = (requestBody?.content ?? {}) as Json;
    for (const [type, media] of Object.entries(content))
      if (type !== 'application/json') content[type] = sentInForm(media);
    const json = content['application/json'];
    if (json && sendsFile(json)) {
      content['multipart/form-data'].example = json.example;
      delete json.example;
    }
  }
  const components = { ...document.components };
  const paths = withSchemas(document.paths, components.schemas);
  const webhooks = withSchemas(document.webhooks, components.schemas);
  for (const kind of ['examples', 'headers', 'parameters', 'requestBodies', 'responses'])
    share(kind, paths, components);
  return { ...document, paths, webhooks, components };
}

/**
 * Describes a parameter as the server reads it from a query: the names of lists and objects have brackets. A list may also
 * be sent as one value.
 */
function sentInQuery(parameter: Json): Json[] {
  const { in: place, name, schema, description } = parameter;
  if (place !== 'query') return [parameter];
  if (schema.type === 'object') return [{ ...parameter, style: 'deepObject', explode: true }];
  const [one, list] = schema.anyOf ?? [];
  if (list?.type !== 'array') return [parameter];
  const several = {
    in: place,
    name: `${name}[]`,
    required: false,
    schema: list,
    style: 'form',
    explode: true,
  };
  return [
    { ...parameter, schema: one },
    { ...several, description: `Several values of ${name}${description ? `: ${description}` : ''}` },
  ];
}

/** Whether the example of a body has a file, which only multipart/form-data can send. */
const sendsFile = ({ schema, example }: Json): boolean =>
  propertiesOf(schema).some(([name, { format }]) => format === 'binary' && name in (example ?? {}));

/** Describes a form, in which the names of lists have brackets. Drops the example, which is JSON. */
function sentInForm({ schema, example: _, ...media }: Json): Json {
  const properties = ((schema.anyOf ?? [schema]) as Json[]).flatMap(propertiesOf);
  const objects = properties.filter(([, one]) => isOf('object', one)).map(([name]) => name);
  const encoding = objects.map((name) => [name, { style: 'deepObject', explode: true }]);
  return {
    ...media,
    schema: properties.some(([, one]) => isOf('array', one))
      ? { ...bracketed(schema), title: `${schema.title}Form` }
      : schema,
    ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
  };
}

const isOf = (kind: string, { type }: Json): boolean => [type].flat().includes(kind);
const propertiesOf = ({ properties = {} }: Json): [name: string, schema: Json][] =>
  Object.entries(properties);

/** Puts brackets behind the names of lists. A form cannot send null instead of a list. */
const bracketed = (schema: Json): Json =>
  schema.anyOf
    ? { ...schema, anyOf: schema.anyOf.map(bracketed) }
    : {
        ...schema,
        properties: Object.fromEntries(
          propertiesOf(schema).map(([name, one]) =>
            isOf('array', one) ? [`${name}[]`, { ...one, type: 'array' }] : [name, one],
          ),
        ),
      };

/** Replaces schemas with a title by references, and adds them to `schemas`. */
export function withSchemas<T>(node: T, schemas: Json): T {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((one) => withSchemas(one, schemas)) as T;
  const entries = Object.entries(node).map(([name, value]) => [
    name,
    name === 'example' || name === 'examples' ? value : withSchemas(value, schemas),
  ]);
  const copy = Object.fromEntries(entries);
  if (typeof copy.title !== 'string') return copy;
  schemas[copy.title] ??= copy;
  if (!isDeepStrictEqual(schemas[copy.title], copy))
    throw new Error(`two schemas have the title ${copy.title}`);
  return { $ref: `#/components/schemas/${copy.title}` } as T;
}

/**
 * Replaces examples, headers, parameters or responses that repeat by references to components. If several have one name,
 * the most frequent becomes the component.
 */
function share(kind: string, paths: Json, components: Json): void {
  const found = new Map<string, { name: string; places: [holder: Json, key: string][] }>();
  for (const { operation } of operationsOf({ paths })) {
    for (const [holder, key, name] of placesOf(kind, operation)) {
      if ('$ref' in holder[key]) continue;
      const text = `${name} ${JSON.stringify(holder[key])}`;
      const same = found.get(text) ?? { name, places: [] };
      same.places.push([holder, key]);
      found.set(text, same);
    }
  }
  const shared: Json = { ...components[kind] };
  for (const { name, places } of [...found.values()].toSorted((a, b) => b.places.length - a.places.length)) {
    const [holder, key] = places[0] as [Json, string];
    if (places.length === 1 || name in shared) continue;
    shared[name] = holder[key];
    for (const [from, at] of places) from[at] = { $ref: `#/components/${kind}/${name}` };
  }
  components[kind] = shared;
}

/** Component names of errors that many operations have, by status. Other answers are named after their operation. */
export const COMMON: Record<string, string> = {
  401: 'Unauthenticated',
  403: 'NotAllowed',
  413: 'TooLarge',
  415: 'UnsupportedType',
  422: 'InvalidValues',
  429: 'TooManyRequests',
  500: 'ServerError',
  503: 'Unavailable',
};

/** Returns the id that all methods of an update share: `updateLicense` for `updateLicenseWithPatch`. */
export const sharedIdOf = ({ operationId }: Json): string => operationId.replace(/With[A-Z].*/, '');

/** Returns where an operation holds components of a kind, and their names. */
function placesOf(kind: string, operation: Json): [holder: Json, key: string, name: string][] {
  const { parameters = [], requestBody, responses } = operation;
  const answers = Object.values(responses as Json);
  // All methods of an update have the same body and answers.
  const base = capitalized(sharedIdOf(operation));
  const named = (holder: Json = {}): [Json, string, string][] =>
    Object.keys(holder).map((name) => [holder, name, name]);
  switch (kind) {
    case 'parameters':
      return (parameters as Json[]).map(({ name }, i) => [parameters, String(i), name]);
    case 'requestBodies':
      return requestBody ? [[operation, 'requestBody', base]] : [];
    case 'responses':
      return Object.entries(responses as Json).map(([status, { content }]) => {
        const prefix = content?.[PROBLEM_TYPE] ? 'Client' : '';
        return [responses, status, COMMON[status] ? prefix + COMMON[status] : base + status];
      });
    case 'headers':
      return answers.flatMap(({ headers }) => named(headers));
    default:
      return answers.flatMap(({ content }) =>
        ['application/json', PROBLEM_TYPE].flatMap((type) => named(content?.[type]?.examples)),
      );
  }
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
