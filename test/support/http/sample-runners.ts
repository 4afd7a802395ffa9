import { findProgram, needProgram } from '../debian.ts';

/** How to run the samples of a language one after the other. */
export const RUNNERS: Record<
  string,
  { extension: string; command(): string | undefined; args(files: string[]): string[] }
> = {
  curl: {
    extension: 'sh',
    command: () => needProgram('curl', 'curl') && 'sh',
    args: (files) => ['-ec', 'for file; do . "$file"; done', 'sh', ...files],
  },
  JavaScript: {
    extension: 'mjs',
    command: () => process.execPath,
    args: (files) => ['-e', 'for (const file of process.argv.slice(1)) await import(file);', ...files],
  },
  Python: {
    extension: 'py',
    command: () => findProgram('python3'),
    args: (files) => [
      '-c',
      'import sys\nfor f in sys.argv[1:]: exec(compile(open(f).read(), f, "exec"), {})',
      ...files,
    ],
  },
  PHP: {
    extension: 'php',
    command: () => needProgram('php', 'php-cli'),
    args: (files) => ['-r', 'foreach (array_slice($argv, 1) as $file) include $file;', '--', ...files],
  },
};
