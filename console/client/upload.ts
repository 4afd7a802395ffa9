import { changeHeaders, refusal } from './api.ts';
import { API_ROOT } from './base.ts';
import { NetworkError } from './errors.ts';

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
    const request = openRequest(method, path, form, reject, onProgress, signal);
    request.onload = () => {
      const { status, responseText } = request;
      // Rejects if it is not an answer of the server, but a page of a proxy.
      if (status >= 200 && status < 300) return resolve(new Response(responseText).json());
      reject(refusal(status, responseText, headersOf(request)));
    };
    request.send(form);
  });
}

/** Prepares a request. Calls `reject` if the request fails or the signal aborts it. */
export function openRequest(
  method: string,
  path: string,
  body: object,
  reject: (error: Error) => void,
  onSent?: (sent: number) => void,
  signal?: AbortSignal,
): XMLHttpRequest {
  const request = new XMLHttpRequest();
  request.open(method, API_ROOT + path);
  for (const [name, value] of Object.entries(changeHeaders())) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded, total }) => onSent?.(total > 0 ? loaded / total : 0);
  request.onerror = () => void failureOf(body).then(reject);
  request.onabort = () => reject(new DOMException('The request was aborted.', 'AbortError'));
  signal?.addEventListener('abort', () => request.abort());
  return request;
}

/** Returns why a request failed: a file that was changed or removed after it was chosen cannot be read, or the network. */
async function failureOf(body: object): Promise<Error> {
  const file = body instanceof FormData && body.get('file');
  try {
    if (file instanceof Blob) await file.slice(0, 1).arrayBuffer();
  } catch {
    return new DOMException('The file was changed or removed.', 'NotReadableError');
  }
  return new NetworkError('the request was interrupted');
}

export function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const at = line.indexOf(': ');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 2));
  }
  return headers;
}
