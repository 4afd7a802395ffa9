import type { Attempt } from '../domain/events/delivery.ts';
import type { AddressFault } from '../domain/problem.ts';

/** What is sent to a receiver. The body is JSON. */
export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The headers of every request; those of a `WebhookRequest` come with them. */
export const fixedHeaders = (body: string): Record<string, string> => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(body)),
  'user-agent': 'Latchkey',
});

export type WebhookOutcome = Pick<Attempt, 'status' | 'error' | 'answer' | 'ms' | 'retryAfter'>;

/** An HTTP client that reaches no address that a webhook must not reach (`sender.ts`). */
export interface Sender {
  /** Sends once, follows no redirect, and never throws. */
  send(request: WebhookRequest): Promise<WebhookOutcome>;
  /** Why nothing may be sent to a URL, as far as that is known without DNS; null if nothing speaks against it. */
  addressFault(url: string): AddressFault | null;
  /** Closes all connections. Requests that have no answer yet fail. */
  close(): void;
}
