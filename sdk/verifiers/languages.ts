import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A verifier, and what runs it over the vectors. Its folder has the verifier and its runner. */
export interface Language {
  /** Its folder, and its name for `--require`. */
  name: string;
  /** Debian's packages of its toolchain and libraries; null where Debian has none. */
  packages: string | null;
  /** Whether a machine has them. */
  isFound(): boolean;
  /** Builds the verifier in a copy of its folder, and returns the command that runs it. @throws Error if it cannot */
  build(folder: string): readonly string[];
}

/** Whether a command ends well. */
const runs = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Runs a compiler. @throws Error with what it has printed */
const compile = (folder: string, command: string, ...args: string[]): void => {
  execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
};

/** Debian's Python has Debian's cryptography; another that comes first on the PATH may have its own. */
const pythons = ['python3', '/usr/bin/python3'];
const python = (): string | undefined => pythons.find((one) => runs(one, '-c', 'import cryptography'));

/** Where Debian's packages of crates are. */
const CRATES = '/usr/share/cargo/registry';

const JACKSON = ['databind', 'core', 'annotations'].map((part) => `/usr/share/java/jackson-${part}.jar`);

export const LANGUAGES: readonly Language[] = [
  {
    name: 'python',
    packages: 'python3 python3-cryptography',
    isFound: () => python() !== undefined,
    build: (folder) => [String(python()), join(folder, 'run.py')],
  },
  {
    name: 'php',
    packages: 'php-cli',
    isFound: () => runs('php', '-r', 'exit(extension_loaded("sodium") ? 0 : 1);'),
    build: (folder) => ['php', join(folder, 'run.php')],
  },
  {
    name: 'go',
    packages: 'golang-go',
    isFound: () => runs('go', 'version'),
    build(folder) {
      compile(folder, 'go', 'vet', './...');
      compile(folder, 'go', 'build', '-o', 'verify', './run');
      return [join(folder, 'verify')];
    },
  },
  {
    name: 'java',
    packages: 'default-jdk-headless libjackson2-databind-java',
    isFound: () => runs('javac', '-version') && JACKSON.every((jar) => runs('test', '-e', jar)),
    build(folder) {
      const path = [folder, ...JACKSON].join(':');
      compile(folder, 'javac', '-Xlint:all', '-Werror', '-cp', path, 'LatchkeyLease.java', 'Run.java');
      return ['java', '-cp', path, 'Run'];
    },
  },
  {
    name: 'c',
    packages: 'gcc libsodium-dev',
    isFound: () => runs('gcc', '-include', 'sodium.h', '-E', '-x', 'c', '/dev/null'),
    build(folder) {
      const flags =
        '-std=c99 -Wall -Wextra -Wpedantic -Werror -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all';
      compile(folder, 'gcc', ...flags.split(' '), 'run.c', '-lsodium', '-o', 'verify');
      return [join(folder, 'verify')];
    },
  },
  {
    name: 'rust',
    packages:
      'cargo librust-ed25519-dalek-dev librust-sha2-dev librust-base64-dev librust-serde-json-dev (Debian 13)',
    isFound: () =>
      runs('cargo', '--version') &&
      existsSync(CRATES) &&
      readdirSync(CRATES).some((name) => name.startsWith('ed25519-dalek-2')),
    build(folder) {
      const source = `source.crates-io.replace-with="debian"`;
      const place = `source.debian.directory="${CRATES}"`;
      compile(
        folder,
        'cargo',
        '--offline',
        '--config',
        source,
        '--config',
        place,
        'build',
        '--quiet',
        '--release',
      );
      return [join(folder, 'target/release/verify')];
    },
  },
  {
    name: 'swift',
    packages: 'swiftlang libsodium-dev libstdc++-14-dev (Debian 13)',
    isFound: () => runs('swiftc', '--version') && runs('test', '-e', '/usr/include/sodium.h'),
    build(folder) {
      const own = '-emit-module -emit-object -module-name Crypto crypto/Crypto.swift -o Crypto.o';
      const flags = ['-O', '-parse-as-library', '-I', '.', '-I', 'crypto'];
      compile(folder, 'swiftc', ...flags, ...own.split(' '), '-emit-module-path', 'Crypto.swiftmodule');
      const parts = ['LatchkeyLease.swift', 'Run.swift', 'Crypto.o'];
      compile(folder, 'swiftc', ...flags, ...parts, '-lsodium', '-o', 'verify');
      return [join(folder, 'verify')];
    },
  },
  {
    name: 'csharp',
    packages: null,
    isFound: () => runs('dotnet', '--version'),
    build(folder) {
      compile(folder, 'dotnet', 'build', '--nologo', '--verbosity', 'quiet', '--output', 'out');
      return ['dotnet', join(folder, 'out/verify.dll')];
    },
  },
];

/** Copies the folder of a language, and builds there. */
export function prepare(language: Language, folder: string): readonly string[] {
  cpSync(new URL(language.name, import.meta.url), folder, { recursive: true });
  return language.build(folder);
}
