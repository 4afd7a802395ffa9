import { execFileSync } from 'node:child_process';
import { needProgram } from '../debian.ts';

/** Runs a PHP script with `php-cli` of the system or of Debian. Returns what it prints. */
export const runPhp = (script: string, args: readonly string[] = [], input = ''): string =>
  execFileSync(needProgram('php', 'php-cli'), ['-d', 'memory_limit=1G', script, ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
