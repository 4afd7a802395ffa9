import { text as readAll } from 'node:stream/consumers';
import { hashPassword } from '../../app/people/passwords.ts';
import { makeLinkToken } from '../../app/people/session-tokens.ts';
import { consoleAddress } from '../../config/config.ts';
import { emailAddress, emailKeyOf } from '../../domain/email-address.ts';
import { oneOf, optional, required } from '../../domain/fields.ts';
import { snakeCased } from '../../domain/names.ts';
import type { Problem } from '../../domain/problem.ts';
import { notFound } from '../../domain/refusal.ts';
import { newPassword, passwordFault, ROLES, type User, userName } from '../../domain/user.ts';
import type { Service } from '../../installation/service.ts';
import type { Reads } from '../../store/store.ts';
import { inWords } from '../../words/problems.ts';
import { define, group } from '../define.ts';
import { invalidValues, orFail } from '../failure.ts';
import { flagsOf, toggle } from '../flags.ts';
import { creating, OWNER, opening } from '../open.ts';
import { answer } from '../output.ts';
import type { Run } from '../run.ts';
import { settingsOf } from '../settings.ts';
import { printable, table } from '../table.ts';

const create = define({
  name: 'create',
  description: 'Create a console user; without a password, prints a link to set one, shown only once',
  flags: {
    ...flagsOf(
      { email: required(emailAddress), name: required(userName), role: optional(oneOf(ROLES)) },
      {
        email: ['address', 'Email address that the user signs in with'],
        name: ['text', 'Name that other users see'],
        role: ['name', `${ROLES.join(', ')} (default: viewer)`],
      },
    ),
    passwordStdin: toggle('Read the password from standard input instead of printing a link'),
  },
  notes:
    'Roles: an owner may do everything; a manager everything except users and backups; support may change\nlicenses but not delete; a viewer may only read, and does not see whole license keys.',
  examples: {
    'The first owner': 'latchkey user create --email ada@example.com --name Ada --role owner',
    'With a password, in a script':
      'latchkey user create --email bob@example.com --name Bob --role support --password-stdin < password.txt',
  },
  async action({ run, values: { passwordStdin, role, ...values } }) {
    const password = passwordStdin ? await readPassword(run.io.stdin, values) : null;
    await creating(run, async (service) => {
      const passwordHash = password === null ? null : await hashPassword(password);
      const input = { ...values, role: role ?? 'viewer', passwordHash };
      const user = orFail(await service.execute('create-user', input, OWNER));
      const created = `Created user ${user.id}, ${printable(user.name)}`;
      if (password !== null)
        return answer(run, snakeCased(user), () => `${created}, with the given password.`);
      await answerLink(run, service, user, `${created}. Link to set a password, shown only once:`);
    });
  },
});

/** Reads the password from standard input, without a newline at its end. @throws Failure, which does not repeat it */
async function readPassword(
  input: NodeJS.ReadableStream,
  user: { name: string; email: string },
): Promise<string> {
  const read = newPassword.read((await readAll(input)).replace(/\r?\n$/, ''));
  const fault = read.ok ? passwordFault(read.value, user) : read.problem;
  if (read.ok && fault === null) return read.value;
  throw invalidValues({ password_stdin: `needs a password, which ${inWords(fault as Problem)}` });
}

/** Makes a link with which the user sets a password, and answers with the link. @throws Failure */
async function answerLink(run: Run, { execute }: Service, user: User, heading: string): Promise<void> {
  const { token, tokenHash } = makeLinkToken();
  const purpose = user.hasPassword ? 'reset' : 'invitation';
  const expiresAt = orFail(await execute('invite-user', { userId: user.id, purpose, tokenHash }, OWNER));
  const config = settingsOf(run);
  const link = `${consoleAddress(config, config.port)}/setup#${token}`;
  answer(run, { ...snakeCased(user), link, expires_at: expiresAt }, () => [
    ...[heading, '', `  ${link}`, ''],
    `It works once, until ${expiresAt} UTC. If the console has another address, replace the part before /console.`,
  ]);
}

const list = define({
  name: 'list',
  description: 'List console users, oldest first',
  examples: {
    'All users, including disabled ones': 'latchkey user list',
    'Owners without a second factor, in a script':
      'latchkey user list --json | jq \'.users[] | select(.role == "owner" and .has_totp == false) | .email\'',
  },
  action: ({ run }) =>
    opening(run, async ({ store }) => {
      const users = await store.read.users.list();
      answer(run, { users: users.map(snakeCased) }, () =>
        users.length === 0
          ? 'No users. The server prints a link to set up the console when it starts.'
          : table(users, {
              ID: 'id',
              EMAIL: 'email',
              ROLE: 'role',
              PASSWORD: ({ hasPassword }) => (hasPassword ? 'set' : 'not set'),
              'SECOND FACTOR': ({ hasTotp }) => (hasTotp ? 'on' : 'off'),
              'DISABLED (UTC)': 'disabledAt',
              'LAST SEEN (UTC)': 'lastSeenAt',
              NAME: 'name',
            }),
      );
    }),
});

const NAMED = ['<user>', 'Email address, or the id as shown by "list"'] as const;

/** Finds a user by email address or id. @throws Failure */
async function findUser({ users }: Reads, named: string): Promise<User> {
  const found = named.includes('@')
    ? await users.findByEmail(emailKeyOf(named.trim()))
    : (await users.list()).find(({ id }) => String(id) === named);
  return found ?? orFail(notFound('user', named));
}

const reset = define({
  name: 'reset',
  description: 'Print a link that sets a new password and turns off the second factor',
  argument: NAMED,
  examples: { 'For a user who cannot sign in': 'latchkey user reset ada@example.com' },
  action: ({ run }, named) =>
    opening(run, async (service) => {
      const user = await findUser(service.store.read, named);
      await answerLink(run, service, user, `Link for ${printable(user.name)}, shown only once:`);
    }),
});

const setDisabled = (name: 'disable' | 'enable', description: string) =>
  define({
    name,
    description,
    argument: NAMED,
    examples: { 'By the address': `latchkey user ${name} bob@example.com` },
    action: ({ run }, named) =>
      opening(run, async ({ store, execute }) => {
        const { id } = await findUser(store.read, named);
        const changes = { disabled: name === 'disable' };
        const user = orFail(await execute('update-user', { id, changes }, OWNER));
        answer(run, snakeCased(user), () => `${printable(user.name)} is ${name}d.`);
      }),
  });

export const userCommands = group('user', 'Create, list, reset, disable and enable console users', [
  ...[create, list, reset],
  setDisabled('disable', 'Sign a user out everywhere and refuse new sign-ins'),
  setDisabled('enable', 'Let a disabled user sign in again'),
]);
