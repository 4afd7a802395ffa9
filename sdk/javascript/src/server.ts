import { isObject, type Json } from './compact.ts';

// Requests to the client API. Distinguishes answers of the API from those of other servers, such as a proxy or a login
// page.

/** The answer of the server, or why there is none. */
export type Answer =
  | { ok: true; body: Json }
  | {
      ok: false;
      /**
       * The `code` of the problem; `unreachable`, `unavailable`, `rate_limited` or `aborted`; or `untrusted_answer` if the
       * answer does not come from the API.
       */
      reason: string;
      status: number | null;
      /** The body of the problem; null if the answer is not a problem of the API. */
      problem: Json | null;
      /** Seconds to wait, as the server asks; null if it does not ask. */
      retryAfter: number | null;
      /** Why there is no answer; missing if there is one. */
      cause?: unknown;
    };

export interface Asked {
  body?: Json;
  token?: string | undefined;
  idempotencyKey?: string;
  /** Ends the wait for an answer. */
  signal?: AbortSignal | undefined;
}

/** What the SDK needs of `fetch`. Electron's `net.fetch` takes no URL object. */
export type Fetch = (url: string, request: RequestInit) => Promise<Response>;

/** The longest accepted answer, in characters. Revocation lists are the largest answers. */
const ANSWER_MAX = 4 * 1024 * 1024;

const failure = (reason: string, response: Response, problem: Json | null = null): Answer => ({
  ok: false,
  reason,
  status: response.status,
  problem,
  retryAfter: retryAfterOf(response),
});

const noAnswer = (reason: string, cause: unknown): Answer => ({
  ok: false,
  reason,
  status: null,
  problem: null,
  retryAfter: null,
  cause,
});
const unreachable = (cause: unknown): Answer => noAnswer('unreachable', cause);

/** Parses the `retry-after` header, a number or a date, into seconds. */
function retryAfterOf({ headers }: Response): number | null {
  const sent = headers.get('retry-after');
  if (sent === null) return null;
  const seconds = /^\d+$/.test(sent) ? Number(sent) : (Date.parse(sent) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (!body) return text;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > ANSWER_MAX) {
      void reader.cancel();
      throw new Error('The answer is too large.');
    }
  }
}

function objectIn(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Sends a request to the client API. Never rejects. Resolves at the latest after `timeout`, or when it is aborted.
 * @param url the URL of the operation
 * @param timeout in milliseconds
 * @param asked the request to POST; without it, sends a GET for the revocation list
 */
export async function ask(fetch: Fetch, url: string, timeout: number, asked?: Asked): Promise<Answer> {
  const { signal } = asked ?? {};
  if (signal?.aborted) return noAnswer('aborted', signal.reason);
  const abort = new AbortController();
  const ended = new Promise<Answer>((resolve) => {
    abort.signal.onabort = () =>
      resolve(
        signal?.aborted
          ? noAnswer('aborted', signal.reason)
          : unreachable(new Error(`No answer within ${timeout} ms.`)),
      );
  });
  const stop = () => abort.abort();
  const timer = setTimeout(stop, timeout);
  signal?.addEventListener('abort', stop);
  try {
    return await Promise.race([ended, send(fetch, url, abort.signal, asked).catch(unreachable)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

async function send(fetch: Fetch, url: string, signal: AbortSignal, asked?: Asked): Promise<Answer> {
  const { body, token, idempotencyKey } = asked ?? {};
  const response = await fetch(url, {
    method: asked ? 'POST' : 'GET',
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
    // The server redirects nowhere; a login page of a network does, and must not get the license key.
    redirect: 'error',
    credentials: 'omit',
    cache: asked ? 'no-store' : 'default',
    signal,
  });
  return answerOf(response, await textOf(response), !asked);
}

/** @param isText whether to return the text as it is, because a revocation list is not JSON */
function answerOf(response: Response, text: string, isText: boolean): Answer {
  const { status, ok, headers } = response;
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (status === 204) return { ok: true, body: {} };
  if (ok && isText) return { ok: true, body: { text } };
  const body = objectIn(text);
  if (ok && body && type === 'application/json') return { ok: true, body };
  const isProblem = type === 'application/problem+json' && body?.status === status;
  if (isProblem && typeof body?.code === 'string') return failure(body.code, response, body);
  if (status === 429) return failure('rate_limited', response);
  return failure(status >= 500 ? 'unavailable' : 'untrusted_answer', response);
}
