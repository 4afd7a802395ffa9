import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DIFFERENCES_MAX = 5;
const AROUND = 60;

/** The recorded files of an engine. Settings differ between the engines: each has a file of its own. */
export const filesOf = (folder: string, engine: string): string[] =>
  readdirSync(folder)
    .filter((name) => !/^settings-/.test(name) || name === `settings-${engine}.txt`)
    .toSorted();

/** Describes the first differences between recorded files and those of another run; empty if there are none. */
export function differences(folder: string, files: ReadonlyMap<string, string>, engine: string): string[] {
  const names = new Set([...filesOf(folder, engine), ...files.keys()]);
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

/** The request, and the lines that differ, cut around the first character that does. */
function describe(name: string, index: number, before: string, after: string): string {
  const [were, are] = [before.split('\n'), after.split('\n')];
  const first = were.findIndex((line, i) => line !== are[i]);
  const at = first < 0 ? were.length : first;
  const [was, is] = around(were[at] ?? '(nothing)', are[at] ?? '(nothing)');
  const request = are[1] ?? were[1] ?? '';
  return [`${name}, answer ${index + 1}, line ${at + 1}: ${request}`, `  - ${was}`, `  + ${is}`].join('\n');
}

function around(was: string, is: string): [string, string] {
  let same = 0;
  while (same < was.length && was[same] === is[same]) same++;
  const begin = Math.max(0, same - AROUND);
  const cut = (line: string) =>
    `${begin > 0 ? '…' : ''}${line.slice(begin, same + AROUND)}${line.length > same + AROUND ? '…' : ''}`;
  return [cut(was), cut(is)];
}
