import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { FIRST } from '../../console/chunks.ts';
import * as en from '../../console/messages/first/en.ts';
import { firstLoad, LIMIT } from '../../console/size.ts';
import { ROOT } from '../support/program.ts';

const CONSOLE = join(ROOT, 'console');
const ASSETS = join(ROOT, 'dist/console/assets');

test('the sign-in page loads less JavaScript than the limit, and no code of later pages', () => {
  const { script, files } = firstLoad('signIn');
  assert.ok(script.gzip > 50_000 && script.gzip <= LIMIT, `${script.gzip} bytes`);
  const names = files.map(([file]) => file).join('\n');
  assert.doesNotMatch(names, /charts|recharts|dates|dropzone|qrcode|Shell|DataTable|list|pages/i);
});

/** Returns files and all source files that they import statically, directly or indirectly. */
function sourcesOf(files: readonly string[], seen = new Set<string>()): Set<string> {
  for (const file of files.filter((one) => /\.tsx?$/.test(one) && !seen.has(one))) {
    seen.add(file);
    const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?'(\.[^']+)';/gm);
    sourcesOf(
      [...imports].map(([, path = '']) => join(dirname(file), path)),
      seen,
    );
  }
  return seen;
}

test('the first texts cover what the first pages need', () => {
  const sources = sourcesOf(
    Object.values(FIRST)
      .flat()
      .map((file) => join(CONSOLE, file)),
  );
  const needed = new Set<string | undefined>();
  for (const file of sources)
    for (const [, ...names] of readFileSync(file, 'utf8').matchAll(
      /useTranslation\('(\w+)'|\bns: '(\w+)'|TFunction<'(\w+)'|getFixedT\([^)]*, '(\w+)'|\.t\('(\w+):/g,
    ))
      needed.add(names.find((name) => name !== undefined));
  assert.ok(needed.has('licenses') && needed.has('signIn'));
  assert.deepEqual(
    [...needed].filter((noun) => !(String(noun) in en)),
    [],
  );
});

/** Returns the class names of Mantine components in a text. */
const classesOf = (text: string): Set<string> => new Set(text.match(/\bm_[0-9a-f]+\b/g));
const STYLED = classesOf(
  ['core', 'notifications', 'spotlight']
    .map((name) => readFileSync(join(ROOT, `node_modules/@mantine/${name}/styles.css`), 'utf8'))
    .join(''),
);
const assets = readdirSync(ASSETS).filter((name) => /\.(js|css)$/.test(name));
const firstFiles = ['signIn', 'list'].flatMap((page) =>
  firstLoad(page as 'signIn' | 'list').files.map(([file]) => file.replace('assets/', '')),
);
const FILES = { first: assets.filter((name) => firstFiles.includes(name)), all: assets };

for (const [which, files] of Object.entries(FILES))
  test(`the styles of Mantine components load together with the components: ${which} files`, () => {
    const contentOf = (ending: string) =>
      files
        .filter((name) => name.endsWith(ending))
        .map((name) => readFileSync(join(ASSETS, name), 'utf8'))
        .join('\n');
    const used = classesOf(contentOf('.js'));
    const styled = classesOf(contentOf('.css'));
    assert.ok(used.size > 50);
    assert.deepEqual(
      [...used].filter((name) => STYLED.has(name) && !styled.has(name)),
      [],
    );
  });
