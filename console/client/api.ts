import createClient, { type Middleware } from 'openapi-fetch';
import { API_ROOT } from './base.ts';
import { type ApiError, errorOf, NetworkError, PASSWORD_NEEDED } from './errors.ts';
import type { operations, paths } from './schema.d.ts';

let csrfToken = '';
let onSignedOut = (): void => {};
let askPassword = async (): Promise<boolean> => false;

/** The token that changes must carry; `GET /session` gives it. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Called whenever the server says that nobody is signed in. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** Called where the server wants the password before it does something. @param ask whether it was given, and taken */
export function whenPasswordNeeded(ask: () => Promise<boolean>): void {
  askPassword = ask;
}

/** Headers of a call that changes something. Before anybody has signed in any value does: no other site can send one. */
export const changeHeaders = (): Record<string, string> => ({ 'x-csrf-token': csrfToken || '1' });

/** The error of an answer that is none of success, having told that nobody is signed in where it says so. */
export function refusal(status: number, body: string, headers: Headers): ApiError {
  if (status === 401) onSignedOut();
  return errorOf(status, body, headers);
}

const guard: Middleware = {
  onRequest({ request }) {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    for (const [name, value] of Object.entries(changeHeaders())) request.headers.set(name, value);
  },
  async onResponse({ response }) {
    if (!response.ok) throw refusal(response.status, await response.text(), response.headers);
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    return new NetworkError(error);
  },
};

/** Asks for the password where the server wants it first, and does what was asked for once more: no page need know. */
async function fetchConfirmed(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetch(request);
  if (response.status !== 403) return response;
  const { code } = errorOf(403, await response.clone().text(), response.headers);
  return code === PASSWORD_NEEDED && (await askPassword()) ? fetch(again) : response;
}

/** A query as the API reads it, with a name for each of a list: `ids[]=1&ids[]=2`. */
export function serializeQuery(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) parameters.append(`${name}[]`, String(one));
    else if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.toString();
}

/** The console's API: `api.GET('/licenses/{id}', { params: { path: { id } } })`. Whatever fails is thrown. */
export const api = createClient<paths>({
  baseUrl: API_ROOT,
  querySerializer: serializeQuery,
  fetch: fetchConfirmed,
});
api.use(guard);

/** What a call answers. @throws ApiError, NetworkError */
export async function answer<T>(call: Promise<{ data?: T }>): Promise<T> {
  const { data } = await call;
  return data as T;
}

type Json<Responses> = Responses extends { 200: { content: { 'application/json': infer Body } } }
  ? Body
  : never;

/** What an operation answers: `Answer<'listGenerators'>`. */
export type Answer<Operation extends keyof operations> = Json<operations[Operation]['responses']>;
/** One record of what a list answers. */
export type Item<Operation extends keyof operations> =
  Answer<Operation> extends { items: (infer Record)[] } ? Record : never;
/** What an operation takes as its query. */
export type Query<Operation extends keyof operations> = NonNullable<
  operations[Operation]['parameters']['query']
>;
