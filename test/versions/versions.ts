import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Credentials } from '../../src/app/api-keys/credentials.ts';
import { databaseFile } from '../../src/installation/service.ts';
import { ENGINE, runSql } from '../support/engine.ts';

/** The contents of a version's fixture. */
export interface Expected {
  /** An API key with full permission. */
  credentials: Credentials;
  owner: { email: string; password: string };
  license: { license_key: string; id: number };
  /** The token of an activation of the license. */
  token: string;
  /** The content of the file that the token may download. */
  file: string;
  /** A license of a shop that was moved in, and the API key of its programs. */
  moved: { credentials: Credentials; licenseKey: string };
  /** The total number of licenses. */
  licenses: number;
}

/** The versions that have a fixture. */
export const versions = (): string[] =>
  readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Copies the installation of a version into an empty folder, with its database on the engine under test. */
export async function placeVersion(version: string, dataDir: string): Promise<Expected> {
  const folder = join(import.meta.dirname, version);
  cpSync(join(folder, 'files'), dataDir, { recursive: true });
  if (ENGINE === 'sqlite')
    writeFileSync(databaseFile(dataDir), gunzipSync(readFileSync(join(folder, 'latchkey.db.gz'))));
  else await runSql(dataDir, readFileSync(join(folder, 'postgres.sql'), 'utf8'));
  return JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'));
}
