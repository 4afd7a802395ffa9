import assert from 'node:assert/strict';

/** A page of metrics. */
export interface Page {
  /** The metrics on the page. */
  names: string[];
  /** Returns the value of a series, named as on the page: `latchkey_ready`; undefined if it is not there. */
  value(series: string): number | undefined;
}

/** Fetches a page of metrics. @param token the bearer token; null for none */
export async function metricsOf(url: string, token: string | null = null): Promise<Page> {
  const answer = await fetch(url, { headers: token === null ? {} : { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const lines = text.split('\n');
  const series = new Map(
    lines
      .filter((line) => /^\w/.test(line))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
  return {
    names: lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []),
    value: (name) => series.get(name),
  };
}
