import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';
import { ROOT } from './program.ts';

/**
 * Copies an example of `examples/`, and fills in the address and the root keys of a server, as a vendor does.
 * @param file the file that contains them
 * @returns the folder, in which the SDK is installed
 */
export function copyExample(name: string, file: string, url: string, roots: readonly string[]): string {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'examples', name), folder, { recursive: true });
  const [root = '', spare = ''] = roots;
  const source = readFileSync(join(folder, file), 'utf8');
  const filled = source
    .replace("'https://licenses.example.com'", `'${url}'`)
    .replace("'ROOT-KEY', 'SPARE-ROOT-KEY'", `'${root}', '${spare}'`);
  writeFileSync(join(folder, file), filled);
  mkdirSync(join(folder, 'node_modules/@latchkey'), { recursive: true });
  symlinkSync(join(ROOT, 'sdk/javascript'), join(folder, 'node_modules/@latchkey/client'));
  return folder;
}
