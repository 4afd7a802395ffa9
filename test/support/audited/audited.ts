import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { FULL_ACCESS } from '../../../src/app/api-keys/credentials.ts';
import type { CommandInput, CommandName } from '../../../src/app/commands.ts';
import type { Actor } from '../../../src/domain/actor.ts';
import type { AuditEntry } from '../../../src/domain/audit.ts';
import { newKey, type Record_ } from '../http/api.ts';
import type { Running } from '../service.ts';

export const actor: Actor = { userId: 1, via: 'api', apiKeyId: 1, origin: '192.0.2.7', products: null };
const NO_FILTER = { action: null, subject: null, apiKeyId: null, userId: null, from: null, to: null };
const LAST = Number.MAX_SAFE_INTEGER;

/** For each command: the actions that it must record, and a function that prepares a change and returns the input for it. */
export type Changes = {
  [N in CommandName]?: [actions: string[], prepare: () => Promise<CommandInput<N>> | CommandInput<N>];
};

/** Input of commands that create a record. */
export const created = {
  license: (): CommandInput<'create-license'> => ({
    licenseKey: newKey(),
    validFor: 0,
    status: 3,
    activationsLimit: 2,
    source: 3,
    orderId: null,
    productId: null,
    userId: null,
    expiresAt: null,
  }),
  generator: (): CommandInput<'create-generator'> => ({
    name: 'g',
    charset: 'ABCDEFGH',
    chunks: 3,
    chunkLength: 5,
    separator: '-',
    prefix: null,
    suffix: null,
    activationsLimit: 1,
    expiresIn: 0,
  }),
  software: (): CommandInput<'create-software'> => ({
    name: 'Acme',
    slug: newKey().toLowerCase(),
    type: null,
    url: null,
    productIds: [7],
    access: null,
    tested: null,
    requires: null,
    requiresPhp: null,
    icons: null,
    banners: null,
  }),
  release: (software: string): CommandInput<'create-release'> => ({
    software,
    input: {
      version: '1.0.0',
      channel: null,
      status: 'draft',
      changelog: 'x'.repeat(1_000),
      upgradeNotice: null,
      rollout: null,
    },
    file: null,
  }),
  apiKey: (): CommandInput<'create-api-key'> => ({
    ...FULL_ACCESS,
    userId: 1,
    description: 'd',
    keyEnding: 'abcdefg',
    permission: 'read',
    keyHash: randomBytes(32),
    secretHash: randomBytes(32),
  }),
  user(): CommandInput<'create-user'> {
    const passwordHash = randomBytes(8).toString('hex');
    return { name: 'n', email: `${passwordHash}@example.test`, role: 'viewer', passwordHash };
  },
};
export const browser = () => ({ tokenHash: randomBytes(32), ipAddress: null, userAgent: null });

/** Makes changes to a service, and reads the entries that they leave in its audit trail. */
export function audited({ service: { execute, store } }: Pick<Running, 'service'>) {
  const lastId = async () => (await store.read.audit.timeAt(LAST))?.id ?? 0;
  /** Returns the entries that a function's changes leave, oldest first. */
  async function entriesOf(change: () => Promise<unknown>): Promise<AuditEntry[]> {
    const above = await lastId();
    await change();
    return (await store.read.audit.list(NO_FILTER, { above, upTo: LAST, limit: 100 })).reverse();
  }
  const must = async (outcome: Promise<unknown>): Promise<Record_> => {
    const found = (await outcome) as Record_;
    if (found?.ok === false) assert.fail(JSON.stringify(found.refusal));
    return found?.ok === true ? found.value : found;
  };
  const newLicense = () => execute('create-license', created.license(), actor);
  const newGenerator = () => execute('create-generator', created.generator(), actor);
  const newSoftware = () => execute('create-software', created.software(), actor);
  const newApiKey = () => execute('create-api-key', created.apiKey(), actor);
  const newUser = async () => {
    const input = created.user();
    const { id } = await must(execute('create-user', input, actor));
    return { id: Number(id), passwordHash: String(input.passwordHash) };
  };
  /** Creates a session of a user. Returns its id. */
  const newSession = async ({ id: userId, passwordHash }: { id: number; passwordHash: string }) => {
    const session = browser();
    await must(execute('create-session', { userId, passwordHash, ...session, replaces: null }, actor));
    return { ...session, id: (await store.read.sessions.ofUser(userId))[0]?.id ?? 0 };
  };
  const id = async (made: Promise<unknown>) => Number((await must(made)).id);
  const named = async (made: Promise<unknown>) => String((await must(made)).id);
  const releaseOf = async () => {
    const software = await named(newSoftware());
    const { release } = await must(execute('create-release', created.release(software), actor));
    return { software, release: String(release.id) };
  };
  return {
    entriesOf,
    must,
    newLicense,
    newGenerator,
    newSoftware,
    newApiKey,
    newUser,
    newSession,
    id,
    named,
    releaseOf,
  };
}
