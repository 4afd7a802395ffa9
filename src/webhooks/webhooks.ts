import type { Attempt } from '../domain/events/delivery.ts';
import type { AddressFault } from '../domain/problem.ts';

/** A request to a receiver. The body is JSON. */
export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Returns the headers that every request has, in addition to those of the `WebhookRequest`. */
export const fixedHeaders = (body: string): Record<string, string> => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(body)),
  'user-agent': 'Latchkey',
});

export type WebhookOutcome = Pick<Attempt, 'status' | 'error' | 'answer' | 'ms' | 'retryAfter'>;

/** An HTTP client that never connects to an address that webhooks must not reach (`sender.ts`). */
export interface Sender {
  /** Sends once, follows no redirect, and never throws. */
  send(request: WebhookRequest): Promise<WebhookOutcome>;
  /** Returns why nothing may be sent to a URL, as far as that can be said without DNS; null if there is no reason. */
  addressFault(url: string): AddressFault | null;
  /** Closes all connections. Requests that have no answer yet fail. */
  close(): void;
}
