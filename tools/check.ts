import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** The checks of `npm run check`. They run at once: the longest, on one core, takes half of their total time. */
const CHECKS = [
  'tsc',
  'tsc -p console',
  'tsc -p sdk/javascript',
  'tsc -p sdk/javascript/test',
  'biome ci --colors=off --error-on-warnings .',
  'node tools/check-boundaries.ts',
];

const codes = await Promise.all(
  CHECKS.map(async (command) => {
    // A shell finds the programs that npm has installed.
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const [[code], ...output] = await Promise.all([
      once(child, 'close'),
      text(child.stdout),
      text(child.stderr),
    ]);
    process.stdout.write(output.join(''));
    return code;
  }),
);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
