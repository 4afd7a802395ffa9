import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ENVIRONMENT, PROGRAM } from '../../test/support/program.ts';

/** Runs `latchkey api-key` beside a service: what it answers in JSON. */
export const apiKeys =
  (settings: Record<string, string>) =>
  async (...args: string[]) => {
    const env = { PATH: process.env.PATH, ...ENVIRONMENT, ...settings };
    const words = [...PROGRAM, 'api-key', ...args, '--json'];
    return JSON.parse((await promisify(execFile)(process.execPath, words, { env })).stdout);
  };
