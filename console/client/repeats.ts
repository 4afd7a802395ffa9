import type { Middleware } from 'openapi-fetch';
import type { paths } from './schema.d.ts';

/** The POST routes that take an Idempotency-Key: the server answers a repeated request like the first one. */
type Repeatable = {
  [Path in keyof paths]: paths[Path] extends { post: { parameters: { header?: infer Header } } }
    ? [NonNullable<Header>] extends [never]
      ? never
      : Path
    : never;
}[keyof paths];
const REPEATABLE: Record<Repeatable, true> = {
  '/licenses': true,
  '/licenses/bulk': true,
  '/generators': true,
  '/generators/{generator_id}/generate': true,
  '/software': true,
};

export const HEADER = 'idempotency-key';
/** Milliseconds for which an equal request counts as a repetition of one that has no answer. */
const KEPT_MS = 300_000;

/** The keys of requests without an answer, by URL and body. */
const unanswered = new Map<string, { key: string; at: number }>();

/**
 * Returns the Idempotency-Key of a request. If an equal request has no answer yet, or its answer was lost, the key is the
 * same: the server then changes nothing, and repeats its first answer.
 * @param asked the URL and the body
 */
export function keyOf(asked: string): string {
  const earlier = unanswered.get(asked);
  if (earlier && Date.now() - earlier.at < KEPT_MS) return earlier.key;
  const key = [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
  unanswered.set(asked, { key, at: Date.now() });
  return key;
}

/**
 * Notes that a request was answered, so that the next equal request gets a new key. A 5xx may come from a proxy and does
 * not count.
 */
export function noteAnswer(key: string | null, status: number): void {
  if (status >= 500) return;
  for (const [asked, one] of unanswered) if (one.key === key) unanswered.delete(asked);
}

export const repeats: Middleware = {
  async onRequest({ request, schemaPath }) {
    if (request.method !== 'POST' || !(schemaPath in REPEATABLE)) return;
    request.headers.set(HEADER, keyOf(`${request.url} ${await request.clone().text()}`));
  },
  onResponse({ request, response }) {
    noteAnswer(request.headers.get(HEADER), response.status);
  },
};
