import type { IncomingMessage } from 'node:http';
import { RETRY_AFTER_MAX } from '../domain/events/delivery.ts';

/** Bytes that are kept of an answer. */
const KEPT_MAX = 2_048;
/** The bytes to read, at most, so that the connection can be reused. */
const READ_MAX = 64 * 1_024;
/** The pieces to read, at most: as many as the kept bytes can have. Each costs time, even one of a single byte. */
const PIECES_MAX = KEPT_MAX;

/**
 * Returns the beginning of an answer as text that a database can store. If the answer breaks off, returns what has arrived.
 */
export async function readAnswer(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  let pieces = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (length < KEPT_MAX) chunks.push(chunk);
      length += chunk.length;
      // Leaving the loop also ends the connection.
      if (length > READ_MAX || ++pieces > PIECES_MAX) break;
    }
  } catch {
    // The answer broke off, but its status has arrived and counts.
  }
  const kept = Buffer.concat(chunks).subarray(0, KEPT_MAX);
  // With `stream`, the decoder drops a character that was cut in two.
  return new TextDecoder().decode(kept, { stream: true }).replaceAll('\0', '\ufffd');
}

/**
 * Returns the seconds that a `Retry-After` header asks to wait; null if it is missing or invalid.
 * @param now milliseconds since 1970
 */
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
