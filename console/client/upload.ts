import { changeHeaders, refusal } from './api.ts';
import { API_ROOT } from './base.ts';
import { ApiError, NetworkError } from './errors.ts';
import type { Line } from './lines.ts';

/**
 * Sends a form with files. Uses XMLHttpRequest, because `fetch` reports no upload progress.
 * @param path below the API: '/releases'
 * @param onProgress receives the uploaded share, from 0 to 1
 * @returns the JSON of the response
 * @throws ApiError, NetworkError; AbortError if the signal aborts; NotReadableError if the file has changed
 */
export function upload<Result>(
  path: string,
  form: FormData,
  onProgress: (sent: number) => void,
  signal?: AbortSignal,
  method: 'POST' | 'PATCH' = 'POST',
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const request = openRequest(method, path, form, onProgress, reject, signal);
    request.onload = () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) return resolve(JSON.parse(responseText) as Result);
      reject(refusal(status, responseText, headersOf(request)));
    };
    request.send(form);
  });
}

interface Listeners<Part> {
  /** The uploaded share, from 0 to 1. */
  onSent: (sent: number) => void;
  /** The number of items that the server has processed. */
  onProgress: (done: number) => void;
  onPart: (part: Part) => void;
}

/**
 * Sends a form with a file to a route that streams NDJSON.
 * @returns the result in the last line
 * @throws the same errors as `upload`
 */
export function uploadToLines<Result, Part>(
  path: string,
  form: FormData,
  { onSent, onProgress, onPart }: Listeners<Part>,
  signal: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const request = openRequest('POST', path, form, onSent, reject, signal);
    let at = 0;
    const read = () => {
      if (request.status !== 200) return;
      const text = request.responseText;
      for (let end = text.indexOf('\n', at); end >= 0; end = text.indexOf('\n', at)) {
        const line: Line<Result, Part> = JSON.parse(text.slice(at, end));
        at = end + 1;
        if (line.progress) onProgress(line.progress.done);
        if (line.part) onPart(line.part);
        if (line.error) reject(new ApiError(line.error.data.status, line.error, headersOf(request)));
        if (line.result !== undefined) resolve(line.result);
      }
    };
    request.onprogress = read;
    request.onload = () => {
      const { status, responseText } = request;
      if (status !== 200) return reject(refusal(status, responseText, headersOf(request)));
      read();
      reject(new NetworkError('the answer ended before its result'));
    };
    request.send(form);
  });
}

/** Prepares a request for a form. Calls `reject` if the request fails or the signal aborts it. */
function openRequest(
  method: string,
  path: string,
  form: FormData,
  onSent: (sent: number) => void,
  reject: (error: Error) => void,
  signal?: AbortSignal,
): XMLHttpRequest {
  const request = new XMLHttpRequest();
  request.open(method, API_ROOT + path);
  for (const [name, value] of Object.entries(changeHeaders())) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0);
  request.onerror = () => void failureOf(form).then(reject);
  request.onabort = () => reject(new DOMException('The upload was aborted.', 'AbortError'));
  signal?.addEventListener('abort', () => request.abort());
  return request;
}

/** Returns why a request failed: a file that was changed or removed after it was chosen cannot be read, or the network. */
async function failureOf(form: FormData): Promise<Error> {
  const file = form.get('file');
  try {
    if (file instanceof Blob) await file.slice(0, 1).arrayBuffer();
  } catch {
    return new DOMException('The file was changed or removed.', 'NotReadableError');
  }
  return new NetworkError('the upload was interrupted');
}

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const at = line.indexOf(': ');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 2));
  }
  return headers;
}
