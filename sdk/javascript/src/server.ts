import { isObject, type Json } from './compact.ts';

// Requests to the client API. What is not an answer of it is told from one that is.

/** What the server said, or why there is no answer of it. */
export type Answer =
  | { ok: true; body: Json }
  | {
      ok: false;
      /**
       * The `code` of a problem; or `unreachable`, `unavailable`, `rate_limited`, or `untrusted_answer` where something else
       * has answered.
       */
      reason: string;
      status: number | null;
      /** The body of a problem. */
      problem: Json | null;
      /** Seconds; null if the server named none. */
      retryAfter: number | null;
    };

export interface Asked {
  body?: Json;
  token?: string | undefined;
  idempotencyKey?: string;
}

/** Characters of an answer, which is that of a revocation list. */
const ANSWER_MAX = 4 * 1024 * 1024;

const failure = (reason: string, response?: Response, problem: Json | null = null): Answer => ({
  ok: false,
  reason,
  status: response?.status ?? null,
  problem,
  retryAfter: response ? retryAfterOf(response) : null,
});

/** Seconds, from a number or a date. */
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
 * Asks the client API. It never rejects, and answers after `timeout` at the latest.
 * @param url of the client API
 * @param timeout milliseconds
 */
export async function ask(
  fetch: typeof globalThis.fetch,
  url: string,
  timeout: number,
  asked?: Asked,
): Promise<Answer> {
  const abort = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => {
      abort.abort();
      resolve(failure('unreachable'));
    }, timeout);
  });
  const answer = send(fetch, url, abort.signal, asked).catch(() => failure('unreachable'));
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function send(
  fetch: typeof globalThis.fetch,
  url: string,
  signal: AbortSignal,
  asked?: Asked,
): Promise<Answer> {
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

/** @param isText of a revocation list, which is no JSON */
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
