import { changeHeaders, refusal } from './api.ts';
import { API_ROOT } from './base.ts';
import { ApiError, type ErrorBody, NetworkError } from './errors.ts';
import { HEADER, keyOf, noteAnswer } from './repeats.ts';

export interface Progress {
  done: number;
  /** Null while the total is unknown. */
  total: number | null;
}

/** A line of an NDJSON response. */
export interface Line<Result, Part = unknown> {
  progress?: Progress;
  part?: Part;
  result?: Result;
  error?: ErrorBody & { data: { status: number } };
}

/**
 * Calls a route that streams its progress and result as NDJSON. A repeated call after a lost answer gets the same result.
 * @param path below the API: '/generators/1/generate'
 * @param body sent as JSON
 * @returns the result of the last line
 * @throws ApiError, NetworkError
 */
export async function streamLines<Result>(
  path: string,
  body: unknown,
  onProgress: (progress: Progress) => void,
  signal?: AbortSignal,
): Promise<Result> {
  const text = JSON.stringify(body);
  const key = keyOf(`${path} ${text}`);
  const init: RequestInit = {
    method: 'POST',
    headers: { ...changeHeaders(), 'content-type': 'application/json', [HEADER]: key },
    body: text,
  };
  if (signal) init.signal = signal;
  const response = await fetch(API_ROOT + path, init).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new NetworkError(cause);
  });
  if (!response.ok) {
    noteAnswer(key, response.status);
    throw refusal(response.status, await response.text(), response.headers);
  }
  for await (const line of linesOf(response)) {
    const { progress, result, error }: Line<Result> = JSON.parse(line);
    if (progress) onProgress(progress);
    if (error || result !== undefined) noteAnswer(key, error?.data.status ?? response.status);
    if (error) throw new ApiError(error.data.status, error, response.headers);
    if (result !== undefined) return result;
  }
  throw new NetworkError('the answer ended before its result');
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new NetworkError(cause);
    });
    const lines = (rest + (value ?? '')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
    if (done) break;
  }
  if (rest !== '') yield rest;
}
