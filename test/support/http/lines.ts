import assert from 'node:assert/strict';
import type { Record_ } from './api.ts';

/** The lines of a streamed answer so far. */
export interface Told {
  progress: { done: number; total: number | null }[];
  /** Parts of the result that came before it. */
  parts: Record_[];
  result?: Record_;
  error?: Record_;
}

/** Reads an answer with one JSON value per line to its end: progress, parts, and then exactly one result or error. */
export async function toldBy(response: Response): Promise<Told> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  assert.ok(text.endsWith('\n'));
  const lines = text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
  const last = lines.pop();
  assert.ok('result' in last || 'error' in last, JSON.stringify(last));
  const all = (name: string) => lines.flatMap((line) => line[name] ?? []);
  return { progress: all('progress'), parts: all('part'), ...last };
}
