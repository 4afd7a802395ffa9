import { COMMON, type Json, operationsOf, sharedIdOf } from './components.ts';
import type { SampleRequest } from './samples.ts';

interface Example {
  summary?: string;
  description?: string;
  value: Json;
}

/** An operation as a page shows it. Methods that do the same are one entry. References are resolved, but for records. */
export interface Entry {
  id: string;
  tag: string;
  method: string;
  otherMethods: string[];
  path: string;
  summary: string;
  description: string;
  parameters: Json[];
  /** The schemas of the JSON object that is sent; more than one if it may be any of them, none without a body. */
  bodies: Json[];
  request: SampleRequest;
  /** The schema of the data of the answer; null if the answer is a file. */
  data: Json | null;
  headers: string[];
  answers: [name: string, answer: Json][];
  errors: Example[];
  /** The statuses of errors that many operations have. */
  commonErrors: string[];
}

type Resolve = (node: Json) => Json;
const resolverOf = (document: Json): Resolve => {
  const resolve: Resolve = (node) => {
    if (typeof node.$ref !== 'string') return node;
    const [, ...names] = node.$ref.split('/');
    return resolve(names.reduce((part: Json, name: string) => part[name], document));
  };
  return resolve;
};

const examplesIn = ({ content }: Json, resolve: Resolve): [name: string, example: Example][] =>
  Object.entries((content?.['application/json']?.examples ?? {}) as Json).map(([name, one]) => [
    name,
    resolve(one) as Example,
  ]);

export function entriesOf(document: Json): Entry[] {
  const resolve = resolverOf(document);
  const common = Object.values(COMMON).map((name) => document.components.responses[name]);
  const entries = new Map<string, Entry>();
  for (const { method, path, operation } of operationsOf(document)) {
    const id = sharedIdOf(operation);
    const same = entries.get(id);
    if (same) {
      same.otherMethods.push(method.toUpperCase());
      continue;
    }
    const parameters: Json[] = (operation.parameters ?? []).map(resolve);
    const media = operation.requestBody && resolve(operation.requestBody).content['application/json'];
    const schema = media && resolve(media.schema);
    const responses = Object.entries(operation.responses as Json).map(
      ([status, one]) => [status, resolve(one)] as const,
    );
    const failures = responses.filter(([status]) => Number(status) >= 400);
    const [, answer = {}] = responses.find(([status]) => status === '200') ?? [];
    const json = answer.content['application/json'];
    entries.set(id, {
      id,
      tag: operation.tags[0],
      method: method.toUpperCase(),
      otherMethods: [],
      path,
      summary: operation.summary,
      description: operation.description ?? '',
      parameters,
      bodies: schema ? (schema.anyOf ?? [schema]).map(resolve) : [],
      request: requestOf(method, path, parameters, media?.example ?? null, json ? null : 'acme-editor.zip'),
      data: json?.schema.properties.data ?? null,
      headers: Object.keys(answer.headers).filter((name) => name !== 'X-Request-Id'),
      answers: examplesIn(answer, resolve).map(([name, { value }]) => [name, value]),
      errors: failures
        .filter(([, one]) => !common.includes(one))
        .flatMap(([, one]) => examplesIn(one, resolve).map(([, example]) => example)),
      commonErrors: failures.filter(([, one]) => common.includes(one)).map(([status]) => status),
    });
  }
  return [...entries.values()];
}

function requestOf(
  method: string,
  path: string,
  parameters: readonly Json[],
  body: Json | null,
  download: string | null,
): SampleRequest {
  const sent = parameters.filter(({ example }) => example !== undefined);
  const valuesIn = (place: string) =>
    Object.fromEntries(sent.filter((one) => one.in === place).map(({ name, example }) => [name, example]));
  const inPath = valuesIn('path');
  return {
    method: method.toUpperCase(),
    path: path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath[name])),
    query: valuesIn('query'),
    body,
    upload: body && 'file' in body ? 'file' : null,
    download,
  };
}

/** Errors that many operations have, and those of requests that reach no operation. */
export const commonErrorsOf = (document: Json): Example[] => {
  const resolve = resolverOf(document);
  const { responses } = document.components;
  // The names of answers of one operation end in their status.
  const outside = Object.keys(responses).filter(
    (name) => /^[A-Za-z]+$/.test(name) && !Object.values(COMMON).includes(name),
  );
  return [...Object.values(COMMON), ...outside]
    .map((name) => responses[name])
    .flatMap((one) => examplesIn(one, resolve).map(([, example]) => example));
};

/** The schemas of records that answers consist of, by name. */
export function recordsOf({ components, paths }: Json): [name: string, schema: Json][] {
  const answers = operationsOf({ paths }).map(({ operation }) => operation.responses);
  const text = JSON.stringify([answers, components]);
  return Object.entries(components.schemas as Json).filter(
    ([name, { type }]) =>
      type === 'object' && !isInput(name, components) && text.includes(`"#/components/schemas/${name}"`),
  );
}

const isInput = (name: string, { requestBodies }: Json): boolean =>
  JSON.stringify(requestBodies).includes(`schemas/${name}"`) || /^(Create|Activate|Generate)/.test(name);
