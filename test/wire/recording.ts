import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { basic, type Credentials, createClients } from './clients.ts';
import { consoleDocument } from './console-document.ts';
import { createMasks } from './masks.ts';
import { activationRequests } from './requests/activations.ts';
import { conflictRequests } from './requests/conflicts.ts';
import { consoleLicenseRequests } from './requests/console-licenses.ts';
import { accountRequests, type People, setUpConsole, userRequests } from './requests/console-people.ts';
import {
  administrationRequests,
  catalogueRequests,
  settingRequests,
  transferRequests,
} from './requests/console-records.ts';
import { documentRequests } from './requests/documents.ts';
import { addressRequests, auditRequests, authenticationRequests, bodyRequests } from './requests/errors.ts';
import { generatorRequests } from './requests/generators.ts';
import { licenseRequests } from './requests/licenses.ts';
import { RESTARTED, restartedRequests } from './requests/restarted.ts';
import { everyConsoleRoute, everyRoute } from './requests/routes.ts';
import { downloadRequests, softwareRequests } from './requests/software.ts';
import type { Wire } from './requests/wire.ts';
import { buildConsole, startServer } from './server.ts';

export type Engine = 'sqlite' | 'postgres';

/** Fixed, so that hashes of license keys are the same in every run. */
const MASTER_KEY = '0123456789abcdef'.repeat(4);
const FULL: Credentials = {
  consumerKey: 'ck_1111111111111111111122222222222222222222',
  consumerSecret: 'cs_3333333333333333333344444444444444444444',
};

/**
 * Starts the server of a checkout twice, on one new database, and sends every request.
 * @param serverUrl the URL of a PostgreSQL server, or null for SQLite
 * @param options.program the script that starts the server, if not the source
 * @param options.onlyKept leaves out what is not kept and changes no kept answer: people, settings, the console's document
 * @returns the recordings by file name
 */
export async function recordCheckout(
  checkout: string,
  serverUrl: string | null,
  { program, onlyKept = false }: { program?: string; onlyKept?: boolean } = {},
): Promise<Map<string, string>> {
  const engine: Engine = serverUrl === null ? 'sqlite' : 'postgres';
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-wire-'));
  const database = serverUrl === null ? null : await createDatabase(serverUrl);
  const settings = {
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_MASTER_KEY: MASTER_KEY,
    LATCHKEY_CONSUMER_KEY: FULL.consumerKey,
    LATCHKEY_CONSUMER_SECRET: FULL.consumerSecret,
    LATCHKEY_FAILURE_LIMIT: '0',
    LATCHKEY_SIGN_IN_LIMIT: '0',
    ...(database && { LATCHKEY_DATABASE_URL: database.url }),
  };
  const masks = createMasks(Date.now());
  masks.learn('data directory', dataDir);
  if (database) masks.learn('database', new URL(database.url).host + new URL(database.url).pathname);
  const recorded = new Map<string, string[]>();
  try {
    buildConsole(checkout);
    const first = await startServer(checkout, settings, program);
    const clients = createClients(first.port, masks, recorded);
    const setupToken = first.setupToken ?? '';
    masks.learn('setup token', setupToken);
    const wire: Wire = {
      ...clients,
      masks,
      setupToken,
      api: clients.v1(FULL),
      keys: { full: FULL } as Wire['keys'],
    };
    await sendAll(wire, engine, onlyKept);
    clients.close();
    await first.stop();

    const second = await startServer(checkout, { ...settings, ...RESTARTED }, program);
    const others = createClients(second.port, masks, recorded);
    await restartedRequests({ ...wire, ...others });
    others.close();
    await second.stop();
    if (!onlyKept) recorded.set('console-openapi', [consoleDocument(checkout)]);
  } finally {
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return new Map([...recorded].map(([name, texts]) => [`${name}.txt`, joined(texts)]));
}

async function sendAll(wire: Wire, engine: Engine, onlyKept: boolean): Promise<void> {
  await documentRequests(wire);
  const people = await setUpConsole(wire);
  Object.assign(wire.keys, await makeKeys(wire, people));
  for (const send of [
    licenseRequests,
    activationRequests,
    generatorRequests,
    softwareRequests,
    downloadRequests,
    authenticationRequests,
    addressRequests,
    bodyRequests,
    auditRequests,
  ])
    await send(wire);
  await everyRoute(wire);
  if (!onlyKept) {
    await accountRequests(wire, people);
    await userRequests(wire, people);
  }
  await consoleLicenseRequests(wire, people);
  await transferRequests(wire, people);
  await catalogueRequests(wire, people);
  if (!onlyKept) {
    await administrationRequests(wire, people);
    await settingRequests(wire, people, engine);
  }
  await everyConsoleRoute(wire, people);
  await conflictRequests(wire, people);
}

const CLIENT_ENDPOINTS = ['activate', 'deactivate', 'validate'].map((one) => `licenses.${one}`);

/** Creates API keys with fewer rights than the key of the settings, as the owner. */
async function makeKeys({ group, masks }: Wire, { owner }: People): Promise<Omit<Wire['keys'], 'full'>> {
  group('console-administration');
  const make = async (name: string, json: object): Promise<Credentials> => {
    const made = await owner.call('POST /api-keys', { json: { description: `The ${name} key`, ...json } });
    const { consumer_key: consumerKey, consumer_secret: consumerSecret } = made.body;
    masks.learn(`credentials of the ${name} key`, basic({ consumerKey, consumerSecret }));
    return { consumerKey, consumerSecret };
  };
  masks.learn('credentials of the settings', basic(FULL));
  const keys = {
    read: await make('read', { permission: 'read' }),
    write: await make('write', { permission: 'write' }),
    client: await make('client', {
      permission: 'read',
      endpoints: [...CLIENT_ENDPOINTS, 'software.read', 'software.download'],
    }),
    products: await make('products', { products: [7], expires_at: '2099-01-01' }),
    narrow: await make('narrow', { endpoints: ['audit.counts'] }),
    revoked: await make('revoked', {}),
  };
  const { body } = await owner.call('GET /api-keys');
  const { id } = body.items[0];
  await owner.call(`DELETE /api-keys/${id}`);
  return keys;
}

const joined = (texts: readonly string[]): string =>
  texts.map((text, i) => `=== ${i + 1}\n${text}`).join('\n');

async function createDatabase(serverUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `latchkey_wire_${randomBytes(6).toString('hex')}`;
  const administer = async (sql: string) => {
    const client = new pg.Client(serverUrl);
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await administer(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  return { url: url.href, drop: () => administer(`drop database if exists ${name} with (force)`) };
}
