import { refusal } from './api.ts';
import { ApiError, type ErrorBody, NetworkError } from './errors.ts';
import { HEADER, keyOf, noteAnswer } from './repeats.ts';
import { headersOf, openRequest } from './upload.ts';

/** A line of an NDJSON response. */
interface Line<Result, Part> {
  progress?: { done: number; total: number | null };
  part?: Part;
  result?: Result;
  error?: ErrorBody & { data: { status: number } };
}

interface Listeners<Part> {
  /** The uploaded share, from 0 to 1. */
  onSent?: (sent: number) => void;
  /** The number of items that the server has processed, and of all; null while it is unknown. */
  onProgress?: (done: number, total: number | null) => void;
  onPart?: (part: Part) => void;
}

/**
 * Calls a route that streams its progress and result as NDJSON.
 * @param path below the API: '/generators/1/generate'
 * @param body a form with a file, or what is sent as JSON: a repeated call after a lost answer then gets the same result
 * @returns the result of the last line
 * @throws the same errors as `upload`
 */
export function streamLines<Result, Part = never>(
  path: string,
  body: object,
  { onSent, onProgress, onPart }: Listeners<Part> = {},
  signal?: AbortSignal,
): Promise<Result> {
  const sent = body instanceof FormData ? body : JSON.stringify(body);
  const key = typeof sent === 'string' ? keyOf(`${path} ${sent}`) : null;
  return new Promise((resolve, reject) => {
    const request = openRequest('POST', path, body, reject, onSent, signal);
    if (key !== null) {
      request.setRequestHeader('content-type', 'application/json');
      request.setRequestHeader(HEADER, key);
    }
    let at = 0;
    const readLines = () => {
      const text = request.responseText;
      for (let end = text.indexOf('\n', at); end >= 0; end = text.indexOf('\n', at)) {
        const { progress, part, result, error }: Line<Result, Part> = JSON.parse(text.slice(at, end));
        at = end + 1;
        if (progress) onProgress?.(progress.done, progress.total);
        if (part) onPart?.(part);
        if (error || result !== undefined) noteAnswer(key, error?.data.status ?? request.status);
        if (error) reject(new ApiError(error.data.status, error, headersOf(request)));
        if (result !== undefined) resolve(result);
      }
    };
    const read = () => {
      try {
        if (request.status === 200) readLines();
      } catch (error) {
        // Not an answer of the server, but a page of a proxy.
        reject(error);
      }
    };
    request.onprogress = read;
    request.onload = () => {
      const { status, responseText } = request;
      if (status !== 200) {
        noteAnswer(key, status);
        return reject(refusal(status, responseText, headersOf(request)));
      }
      read();
      reject(new NetworkError('the answer ended before its result'));
    };
    request.send(sent);
  });
}
