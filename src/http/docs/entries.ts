import { COMMON, type Json, operationsOf, PROBLEM_TYPE, sharedIdOf } from './components.ts';
import type { SampleRequest } from './samples.ts';

interface Example {
  summary?: string;
  description?: string;
  value: Json;
}

/**
 * An operation as the page shows it. Methods that do the same are one entry. References are resolved, except those to
 * records.
 */
export interface Entry {
  id: string;
  tag: string;
  method: string;
  otherMethods: string[];
  /** Address of the operation's API; null if it is the API of the document. */
  root: string | null;
  path: string;
  summary: string;
  description: string;
  parameters: Json[];
  /** The schemas of the JSON object that is sent: several if any of them is accepted, none without a body. */
  bodies: Json[];
  request: SampleRequest;
  /** The schema of the answer, or of its data if it has an envelope; null if the answer is a file or empty. */
  data: Json | null;
  headers: string[];
  answers: [name: string, answer: Json][];
  errors: Example[];
  /** The statuses of errors that many operations have. */
  commonErrors: string[];
  /** The codes of errors without an envelope. */
  problems: string[];
}

/** Example names of the files that operations answer with, by media type. */
const FILES: Readonly<Record<string, string>> = {
  'application/octet-stream': 'acme-editor.zip',
  'text/plain': 'acme.lic',
};

type Resolve = (node: Json) => Json;
const resolverOf = (document: Json): Resolve => {
  const resolve: Resolve = (node) => {
    if (typeof node.$ref !== 'string') return node;
    const [, ...names] = node.$ref.split('/');
    return resolve(names.reduce((part: Json, name: string) => part[name], document));
  };
  return resolve;
};

const examplesIn = (
  { content }: Json,
  resolve: Resolve,
  type = 'application/json',
): [name: string, example: Example][] =>
  Object.entries((content?.[type]?.examples ?? {}) as Json).map(([name, one]) => [
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
    const content = operation.requestBody ? resolve(operation.requestBody).content : {};
    const media = content['application/json'];
    const schema = media && resolve(media.schema);
    const sent = media?.example ?? content['multipart/form-data']?.example ?? null;
    const responses = Object.entries(operation.responses as Json).map(
      ([status, one]) => [status, resolve(one)] as const,
    );
    const failures = responses.filter(([status]) => Number(status) >= 400);
    const [, answer = {}] = responses.find(([status]) => status === '200') ?? [];
    const json = answer.content?.['application/json'];
    const root = operation.servers?.[0].url ?? null;
    entries.set(id, {
      id,
      tag: operation.tags[0],
      method: method.toUpperCase(),
      otherMethods: [],
      root,
      path,
      summary: operation.summary,
      description: operation.description ?? '',
      parameters,
      bodies: schema ? (schema.anyOf ?? [schema]).map(resolve) : [],
      request: {
        ...requestOf(method, path, parameters, sent),
        download: FILES[Object.keys(answer.content ?? {}).join()] ?? null,
        proof: root === null ? 'api key' : operation.security.length > 0 ? 'token' : 'body',
        hasAnswer: json !== undefined,
      },
      data: root === null ? (json?.schema.properties.data ?? null) : (json?.schema ?? null),
      headers: Object.keys(answer.headers ?? {}).filter((name) => name !== 'X-Request-Id'),
      answers: examplesIn(answer, resolve).map(([name, { value }]) => [name, value]),
      errors: failures
        .filter(([, one]) => !common.includes(one))
        .flatMap(([, one]) => examplesIn(one, resolve).map(([, example]) => example)),
      commonErrors: failures.filter(([, one]) => common.includes(one)).map(([status]) => status),
      problems: failures.flatMap(([, one]) =>
        examplesIn(one, resolve, PROBLEM_TYPE).map(([, { value }]) => value.code),
      ),
    });
  }
  return [...entries.values()];
}

function requestOf(
  method: string,
  path: string,
  parameters: readonly Json[],
  body: Json | null,
): Pick<SampleRequest, 'method' | 'path' | 'query' | 'body'> {
  const sent = parameters.filter(({ example }) => example !== undefined);
  const valuesIn = (place: string) =>
    Object.fromEntries(sent.filter((one) => one.in === place).map(({ name, example }) => [name, example]));
  const inPath = valuesIn('path');
  return {
    method: method.toUpperCase(),
    path: path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath[name])),
    query: valuesIn('query'),
    body,
  };
}

/** Returns the errors that many operations have, and the errors of requests that reach no operation. */
export const commonErrorsOf = (document: Json): Example[] => {
  const resolve = resolverOf(document);
  const { responses } = document.components;
  // If a name ends in a status, the answer belongs to one operation.
  const outside = Object.keys(responses).filter(
    (name) => /^[A-Za-z]+$/.test(name) && !Object.values(COMMON).includes(name),
  );
  return [...Object.values(COMMON), ...outside]
    .map((name) => responses[name])
    .flatMap((one) => examplesIn(one, resolve).map(([, example]) => example));
};

/** Returns the errors without an envelope, each once, ordered by status. */
export function problemsOf(document: Json): Example[] {
  const resolve = resolverOf(document);
  const answers = operationsOf(document).flatMap(({ operation }) =>
    Object.values(operation.responses as Json),
  );
  const all = [...answers, ...Object.values(document.components.responses as Json)]
    .map(resolve)
    .flatMap((one) => examplesIn(one, resolve, PROBLEM_TYPE))
    .map(([, example]) => example);
  const byCode = new Map(all.map((one) => [one.value.code, one]));
  return [...byCode.values()].toSorted((one, other) => one.value.status - other.value.status);
}

/** Returns the requests that the server sends: when each is sent, and an example of its body. */
export const sentOf = ({ webhooks }: Json): { type: string; when: string; example: Json }[] =>
  Object.entries(webhooks as Json).map(([type, { post }]) => ({
    type,
    when: post.summary,
    example: post.requestBody.content['application/json'].example,
  }));

/** Returns the schemas of the records in answers, by name. */
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
