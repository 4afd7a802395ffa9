import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DIFFERENCES_MAX = 5;
const LINES_MAX = 4;
const AROUND = 60;

/**
 * Returns whether the repository keeps a recording: it keeps the answers of the v1 API, which must never change. The
 * console API and the documents change with the product. To compare them, record two checkouts with `--out` and run
 * `diff -r`.
 */
export const isKept = (name: string): boolean => !/^(console-|settings-|openapi|documents)/.test(name);

/** Describes the first differences between the kept recordings and those of another run; empty if there are none. */
export function differences(folder: string, files: ReadonlyMap<string, string>): string[] {
  const names = new Set([...readdirSync(folder), ...[...files.keys()].filter(isKept)]);
  return [...names].toSorted().flatMap((name) => {
    const path = join(folder, name);
    const before = existsSync(path) ? readFileSync(path, 'utf8') : null;
    const after = files.get(name) ?? null;
    if (before === null) return [`${name}: is not recorded yet`];
    if (after === null) return [`${name}: no requests were sent for it`];
    return before === after ? [] : differencesOf(name, before, after);
  });
}

function differencesOf(name: string, before: string, after: string): string[] {
  const [were, are] = [answersOf(before), answersOf(after)];
  const found = Array.from({ length: Math.max(were.length, are.length) }, (_, i) =>
    were[i] === are[i] ? [] : [describe(name, i, were[i] ?? '(no answer)', are[i] ?? '(no answer)')],
  ).flat();
  const more = found.length - DIFFERENCES_MAX;
  return [...found.slice(0, DIFFERENCES_MAX), ...(more > 0 ? [`${name}: ${more} more answers differ`] : [])];
}

const answersOf = (text: string): string[] => text.split(/^(?==== \d+$)/m);

/** Returns the request and the first lines that differ, each cut around the first different character. */
function describe(name: string, index: number, before: string, after: string): string {
  const [were, are] = [before.split('\n'), after.split('\n')];
  const request = are[1] ?? were[1] ?? '';
  const lines = Array.from({ length: Math.max(were.length, are.length) }, (_, i) => i)
    .filter((i) => were[i] !== are[i])
    .slice(0, LINES_MAX)
    .flatMap((i) => {
      const [was, is] = around(were[i] ?? '(nothing)', are[i] ?? '(nothing)');
      return [`  - ${was}`, `  + ${is}`];
    });
  return [`${name}, answer ${index + 1}: ${request}`, ...lines].join('\n');
}

function around(was: string, is: string): [string, string] {
  let same = 0;
  while (same < was.length && was[same] === is[same]) same++;
  const begin = Math.max(0, same - AROUND);
  const cut = (line: string) =>
    `${begin > 0 ? '…' : ''}${line.slice(begin, same + AROUND)}${line.length > same + AROUND ? '…' : ''}`;
  return [cut(was), cut(is)];
}
