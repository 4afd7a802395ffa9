import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, needFile, needProgram } from '../support/debian.ts';
import { ROOT } from '../support/program.ts';

/** A language with a page in docs/integrate/. */
export interface Language {
  name: string;
  /** Name of the page without ".md". */
  page: string;
  /** Language of the code block, and file name of the program. */
  tag: string;
  file: string;
  /**
   * Builds the program if the language needs that, and returns the command that runs it in a home folder.
   * Returns null if this machine cannot have the toolchain.
   */
  prepare(folder: string): ((home: string) => string[]) | null;
}

const JACKSON = ['databind', 'core', 'annotations'].map((part) => `/usr/share/java/jackson-${part}.jar`);
const NEWTONSOFT = '/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll';

const build = (folder: string, [command, ...args]: string[]): void =>
  void execFileSync(command as string, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });

const interpreted = (program: string, packageName: string, file: string) => (folder: string) => {
  const command = [needProgram(program, packageName), join(folder, file)];
  return () => command;
};

/** Languages whose programs start in a tenth of a second. */
export const INTERPRETED: readonly Language[] = [
  {
    name: 'JavaScript',
    page: 'javascript',
    tag: 'js',
    file: 'license-check.mjs',
    prepare: (folder) => () => [process.execPath, join(folder, 'license-check.mjs')],
  },
  {
    name: 'Python',
    page: 'python',
    tag: 'python',
    file: 'license_check.py',
    prepare: interpreted('python3', 'python3', 'license_check.py'),
  },
  {
    name: 'PHP',
    page: 'php',
    tag: 'php',
    file: 'license-check.php',
    prepare: interpreted('php', 'php-cli', 'license-check.php'),
  },
  {
    name: 'shell',
    page: 'shell',
    tag: 'sh',
    file: 'license-check.sh',
    prepare(folder) {
      needProgram('curl', 'curl');
      needProgram('jq', 'jq');
      return interpreted('sh', 'dash', 'license-check.sh')(folder);
    },
  },
];

/** Languages with large toolchains, whose programs are compiled first. */
export const COMPILED: readonly Language[] = [
  {
    name: 'Go',
    page: 'go',
    tag: 'go',
    file: 'license_check.go',
    prepare(folder) {
      const go = needProgram('go', 'golang-go');
      build(folder, [go, 'vet', 'license_check.go']);
      build(folder, [go, 'build', '-o', 'license-check', 'license_check.go']);
      return () => [join(folder, 'license-check')];
    },
  },
  {
    name: 'Java',
    page: 'java',
    tag: 'java',
    file: 'LicenseCheck.java',
    prepare(folder) {
      const javac = needProgram('javac', 'default-jdk-headless');
      for (const jar of JACKSON) needFile(jar, 'libjackson2-databind-java');
      build(folder, [javac, '-Xlint:all', '-Werror', '-cp', JACKSON.join(':'), 'LicenseCheck.java']);
      // Java takes the home folder from the user database.
      return (home) => ['java', `-Duser.home=${home}`, '-cp', [folder, ...JACKSON].join(':'), 'LicenseCheck'];
    },
  },
  {
    name: 'C++',
    page: 'cpp',
    tag: 'cpp',
    file: 'license_check.cpp',
    prepare(folder) {
      const compiler = needProgram('g++', 'g++');
      needFile('/usr/include/nlohmann/json.hpp', 'nlohmann-json3-dev');
      needFile('/usr/include/httplib.h', 'libcpp-httplib-dev');
      const flags = ['-std=c++17', '-Wall', '-Wextra', '-Werror', '-DCPPHTTPLIB_OPENSSL_SUPPORT'];
      build(folder, [compiler, ...flags, '-o', 'license-check', 'license_check.cpp', '-lcpp-httplib']);
      return () => [join(folder, 'license-check')];
    },
  },
  {
    name: 'C#',
    page: 'csharp',
    tag: 'csharp',
    file: 'LicenseCheck.cs',
    prepare(folder) {
      const compiler = needProgram('mcs', 'mono-mcs');
      const mono = needProgram('mono', 'mono-runtime');
      needFile('/usr/lib/mono/4.5/System.Net.Http.dll', 'libmono-system-net-http4.0-cil');
      needFile(NEWTONSOFT, 'libnewtonsoft-json5.0-cil');
      const references = ['-r:System.Net.Http.dll', `-r:${NEWTONSOFT}`];
      build(folder, [compiler, '-langversion:latest', '-warnaserror', ...references, 'LicenseCheck.cs']);
      return () => [mono, join(folder, 'LicenseCheck.exe')];
    },
  },
  {
    name: 'Swift',
    page: 'swift',
    tag: 'swift',
    file: 'license-check.swift',
    prepare(folder) {
      // Debian has Swift since release 13. It takes 2 GB, so nothing installs it here.
      const compiler = findProgram('swiftc');
      if (!compiler) return null;
      build(folder, [compiler, '-warnings-as-errors', 'license-check.swift']);
      // Foundation takes the home folder from the user database, or from this variable.
      return (home) => ['env', `CFFIXED_USER_HOME=${home}`, join(folder, 'license-check')];
    },
  },
];

/** Returns the code blocks of a page in docs/integrate/ in a language. @param page without ".md" */
export function codeBlocks(page: string, tag: string): string[] {
  const text = readFileSync(join(ROOT, `docs/integrate/${page}.md`), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${tag}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) =>
    String(block),
  );
}

/** Returns the program of a page: its first code block in the language. */
export function programOf({ page, tag }: Language): string {
  const [program] = codeBlocks(page, tag);
  if (program === undefined) throw new Error(`docs/integrate/${page}.md has no program`);
  return program;
}
