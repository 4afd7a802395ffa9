import { changeHeaders, refusal } from './api.ts';
import { API_ROOT } from './base.ts';
import { NetworkError } from './errors.ts';

/**
 * Sends a form with files. By XMLHttpRequest, for `fetch` tells nothing of how far it is.
 * @param path below the API: '/releases'
 * @param onProgress how much is sent, from 0 to 1
 * @returns the JSON that is answered
 * @throws ApiError, NetworkError; an AbortError where the signal ends it
 */
export function upload<Result>(
  path: string,
  form: FormData,
  onProgress: (sent: number) => void,
  signal?: AbortSignal,
  method: 'POST' | 'PATCH' = 'POST',
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, API_ROOT + path);
    for (const [name, value] of Object.entries(changeHeaders())) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) return resolve(JSON.parse(responseText) as Result);
      reject(refusal(status, responseText, headersOf(request)));
    };
    request.onerror = () => reject(new NetworkError('the upload broke off'));
    request.onabort = () => reject(new DOMException('The upload was ended.', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const at = line.indexOf(': ');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 2));
  }
  return headers;
}
