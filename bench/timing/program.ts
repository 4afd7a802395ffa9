import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ENVIRONMENT, PROGRAM } from '../../test/support/program.ts';

/** Returns a function that runs `latchkey` beside a service and returns its JSON output. @param input standard input */
export const program =
  (settings: Record<string, string>) =>
  async (words: readonly string[], input = '') => {
    const env = { PATH: process.env.PATH, ...ENVIRONMENT, ...settings };
    const running = promisify(execFile)(process.execPath, [...PROGRAM, ...words, '--json'], { env });
    running.child.stdin?.end(input);
    return JSON.parse((await running).stdout);
  };
export type Program = ReturnType<typeof program>;
