import type { Command } from 'commander';
import type { User } from '../../domain/user.ts';
import { failureOf } from '../failure.ts';
import { addExamples } from '../help.ts';
import { changing, OWNER, reading } from '../open.ts';
import { answer } from '../output.ts';
import { presentUser } from '../present.ts';
import type { Run } from '../run.ts';
import { addCommonFlags } from '../settings.ts';
import { printable, table } from '../table.ts';
import { addCreate } from './user-create.ts';
import { findUser, linkLines, makeLink, NAMED } from './user-named.ts';

export function addUserCommands(program: Command, run: Run): void {
  const user = program
    .command('user')
    .description('Create, list, reset, disable and enable users of the console');
  addCreate(user, run);
  addList(user, run);
  addReset(user, run);
  addSwitch(user, run, 'disable', 'Sign a user out everywhere, and let it sign in no more');
  addSwitch(user, run, 'enable', 'Let a disabled user sign in again');
}

function addList(user: Command, run: Run): void {
  const command = user.command('list').description('List users of the console, oldest first');
  addCommonFlags(command);
  addExamples(command, [
    ['All, disabled ones too', 'latchkey user list'],
    [
      'Owners without a second factor, in a script',
      'latchkey user list --json | jq \'.users[] | select(.role == "owner" and .has_totp == false) | .email\'',
    ],
  ]);
  command.action(() =>
    reading(run, async ({ store }) => {
      const users = await store.read.users.list();
      answer(run, { users: users.map(presentUser) }, () =>
        users.length === 0
          ? 'No users. The start of the server prints a link to set up the console.'
          : userTable(users),
      );
    }),
  );
}

const userTable = (users: readonly User[]): string =>
  table(
    ['ID', 'EMAIL', 'ROLE', 'PASSWORD', 'SECOND FACTOR', 'DISABLED (UTC)', 'LAST SEEN (UTC)', 'NAME'],
    users.map((one) => [
      one.id,
      one.email,
      one.role,
      one.hasPassword ? 'set' : 'not yet',
      one.hasTotp ? 'on' : 'off',
      one.disabledAt,
      one.lastSeenAt,
      one.name,
    ]),
  );

function addReset(user: Command, run: Run): void {
  const command = user
    .command('reset')
    .description('Show a link that sets a new password, and switches the second factor off')
    .argument('<user>', NAMED);
  addCommonFlags(command);
  addExamples(command, [['For who cannot get in any more', 'latchkey user reset ada@example.com']]);
  command.action((named: string) =>
    changing(run, async (service) => {
      const found = await findUser(service.store.read, named);
      const link = await makeLink(service, found, run);
      answer(run, { ...presentUser(found), ...link }, () =>
        [
          `For ${printable(found.name)}, by this link, which is shown this once:`,
          '',
          ...linkLines(link),
        ].join('\n'),
      );
    }),
  );
}

function addSwitch(user: Command, run: Run, word: 'disable' | 'enable', meaning: string): void {
  const command = user.command(word).description(meaning).argument('<user>', NAMED);
  addCommonFlags(command);
  addExamples(command, [['By the address', `latchkey user ${word} bob@example.com`]]);
  command.action((named: string) =>
    changing(run, async ({ store, execute }) => {
      const { id } = await findUser(store.read, named);
      const updated = await execute('update-user', { id, changes: { disabled: word === 'disable' } }, OWNER);
      if (!updated.ok) throw failureOf(updated.refusal);
      const { name } = updated.value;
      answer(run, presentUser(updated.value), () => `${printable(name)} is ${word}d.`);
    }),
  );
}
