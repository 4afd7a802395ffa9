import type { IncomingMessage } from 'node:http';
import { RETRY_AFTER_MAX } from '../domain/events/delivery.ts';

/** Bytes that are kept of an answer. */
const KEPT_MAX = 2_048;
/** Bytes that are read so that the connection can be used again. */
const READ_MAX = 64 * 1_024;

/** Returns the beginning of an answer as text that a database can store. An answer that breaks off counts as far as it came. */
export async function readAnswer(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (length < KEPT_MAX) chunks.push(chunk);
      length += chunk.length;
      // Ends the connection, too.
      if (length > READ_MAX) break;
    }
  } catch {
    // The receiver has answered: its status counts.
  }
  const kept = Buffer.concat(chunks).subarray(0, KEPT_MAX);
  // `stream` leaves out a character that is cut in two.
  return new TextDecoder().decode(kept, { stream: true }).replaceAll('\0', '\ufffd');
}

/** Seconds that a `Retry-After` asks to wait; null for none, or one that cannot be read. @param now milliseconds since 1970 */
export function retryAfterOf(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  const isDate = /^[A-Z][a-z]+, .* GMT$/.test(text);
  const seconds = isDate
    ? Math.ceil((Date.parse(text) - now) / 1_000)
    : /^\d+$/.test(text)
      ? Number(text)
      : NaN;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), RETRY_AFTER_MAX);
}
