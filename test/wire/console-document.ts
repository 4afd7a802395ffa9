import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Returns the OpenAPI document of the console API, which no route serves: a process of the checkout creates it. */
export function consoleDocument(checkout: string): string {
  const file = globSync('src/**/*.ts', { cwd: checkout })
    .map((path) => join(checkout, path))
    .find((path) => readFileSync(path, 'utf8').includes('export async function adminDocument'));
  if (!file) throw new Error('no file of src/ exports adminDocument');
  const script = `
    const { adminDocument } = await import(${JSON.stringify(pathToFileURL(file).href)});
    console.log(JSON.stringify(await adminDocument(), null, 1));`;
  const node = join(checkout, 'node_modules/.bin/node');
  return execFileSync(node, ['--input-type=module', '-e', script], {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}
