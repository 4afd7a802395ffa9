import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportLeaks, searchFolder } from './leaks.ts';

const folders: string[] = [];
process.on('exit', () => {
  for (const folder of folders) {
    searchFolder(folder);
    rmSync(folder, { recursive: true, force: true });
  }
  reportLeaks();
});

/** A folder that is gone when the test process ends, and searched for secrets in clear before. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
  folders.push(folder);
  return folder;
}
