import createClient, { type Middleware } from 'openapi-fetch';
import { API_ROOT } from './base.ts';
import { type ApiError, errorOf, NetworkError, PASSWORD_NEEDED } from './errors.ts';
import { repeats } from './repeats.ts';
import type { operations, paths } from './schema.d.ts';

let csrfToken = '';
let onSessionRefused = (): void => {};
let askPassword = async (): Promise<boolean> => false;

/** Sets the CSRF token that changes must send. `GET /session` returns it. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Sets the listener to call when the server refuses the session or the CSRF token of a request. */
export function whenSessionRefused(listener: () => void): void {
  onSessionRefused = listener;
}

/** Sets the prompt for the password. @param ask resolves to whether the password was accepted */
export function whenPasswordNeeded(ask: () => Promise<boolean>): void {
  askPassword = ask;
}

/**
 * The headers of a request that changes something. Before sign-in the server accepts any token, because other sites cannot
 * send the header at all.
 */
export const changeHeaders = (): Record<string, string> => ({ 'x-csrf-token': csrfToken || '1' });

/** The error of a failed response. May call the listener of `whenSessionRefused`. */
export function refusal(status: number, body: string, headers: Headers): ApiError {
  const error = errorOf(status, body, headers);
  if (status === 401 || error.reason?.code === 'csrf_wrong') onSessionRefused();
  return error;
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

/** Sends a request. If the server requires the password for it, asks for the password and sends the request again. */
async function fetchConfirmed(request: Request): Promise<Response> {
  const again = request.clone();
  const response = await fetch(request);
  if (response.status !== 403) return response;
  const { code } = errorOf(403, await response.clone().text(), response.headers);
  return code === PASSWORD_NEEDED && (await askPassword()) ? fetch(again) : response;
}

/** Serializes a query. Lists become `ids[]=1&ids[]=2`. */
export function serializeQuery(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) parameters.append(`${name}[]`, String(one));
    else if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.toString();
}

/** The console's API: `api.GET('/licenses/{id}', { params: { path: { id } } })`. Throws on failure. */
export const api = createClient<paths>({
  baseUrl: API_ROOT,
  querySerializer: serializeQuery,
  fetch: fetchConfirmed,
});
api.use(guard, repeats);

/** The header that makes the server refuse a change if the record no longer has this version. */
export const ifMatch = (etag: string) => ({ 'if-match': `"${etag}"` });

/** The data of a call. @throws ApiError, NetworkError */
export async function answer<T>(call: Promise<{ data?: T }>): Promise<T> {
  const { data } = await call;
  return data as T;
}

type Json<Responses> = Responses extends { 200: { content: { 'application/json': infer Body } } }
  ? Body
  : never;

/** The answer of an operation: `Answer<'listGenerators'>`. */
export type Answer<Operation extends keyof operations> = Json<operations[Operation]['responses']>;
/** The type of a record in the answer of an operation that lists records. */
export type Item<Operation extends keyof operations> =
  Answer<Operation> extends { items: (infer Record)[] } ? Record : never;
/** The type of an operation's body. */
export type Body<Operation extends keyof operations> = operations[Operation] extends {
  requestBody: { content: { 'application/json': infer Sent } };
}
  ? Sent
  : never;
/** The type of an operation's query. */
export type Query<Operation extends keyof operations> = NonNullable<
  operations[Operation]['parameters']['query']
>;
