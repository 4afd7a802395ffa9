import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name: string };
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Returns the folder of the package that a module belongs to; undefined for our own modules and those of the bundler. */
function packageOf(module: string): string | undefined {
  if (module.startsWith('\0') || !/[\\/]node_modules[\\/]/.test(module)) return;
  let folder = dirname(module);
  // Some packages have further manifests, without a version, in their folders.
  while (!existsSync(join(folder, 'package.json')) || !manifestOf(folder).version) folder = dirname(folder);
  return folder;
}

/** Returns the license of a package: its files, or the name of the license if it has none. */
function licenseOf(folder: string): string {
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  if (files.length > 0)
    return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
  const { license, author } = manifestOf(folder);
  const holder = typeof author === 'object' ? author.name : author;
  return `License: ${license}. ${holder ? `Author: ${holder}. ` : ''}The package contains no license text.`;
}

/** Returns the licenses of all packages that the modules belong to. Packages with the same text share it. */
export function noticesOf(modules: readonly string[]): string {
  const folders = new Set(modules.map(packageOf).filter((folder) => folder !== undefined));
  const byLicense = [...Map.groupBy(folders, licenseOf)].map(([license, users]) => {
    const names = new Set(users.map(manifestOf).map(({ name, version }) => `${name} ${version}`));
    return `${[...names].sort().join('\n')}\n\n${license}\n`;
  });
  return byLicense.sort().join(`\n${'-'.repeat(80)}\n\n`);
}
