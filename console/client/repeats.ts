import type { Middleware } from 'openapi-fetch';
import type { paths } from './schema.d.ts';

/** The requests that the server answers alike if they come again with the same Idempotency-Key. */
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
/** Milliseconds for which a repeated request counts as the same, after its answer was lost. */
const KEPT_MS = 300_000;

/** Requests without an answer, by what they ask for. */
const unanswered = new Map<string, { key: string; at: number }>();

/**
 * The key of a request. A request whose answer is missing, or not yet there, has the same key when it is sent again: the
 * server then changes nothing, and answers what the first one did.
 * @param asked its address and body
 */
export function keyOf(asked: string): string {
  const earlier = unanswered.get(asked);
  if (earlier && Date.now() - earlier.at < KEPT_MS) return earlier.key;
  const key = [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
  unanswered.set(asked, { key, at: Date.now() });
  return key;
}

/** Notes that a request has an answer, so that the next one is another. A 5xx answer may come from a proxy. */
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
