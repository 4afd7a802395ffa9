import type { Command } from 'commander';
import { hashPassword } from '../../app/people/passwords.ts';
import { flag, oneOf, optional, required } from '../../domain/fields.ts';
import type { Problem } from '../../domain/problem.ts';
import { emailAddress, newPassword, passwordFault, ROLES, userName } from '../../domain/user.ts';
import { inWords } from '../../words/problems.ts';
import { failureOf, invalidValues } from '../failure.ts';
import { addShapeFlags, type Meanings, readFlags } from '../flags.ts';
import { addExamples, addNotes } from '../help.ts';
import { changing, OWNER } from '../open.ts';
import { answer } from '../output.ts';
import { presentUser } from '../present.ts';
import type { Run } from '../run.ts';
import { addCommonFlags, type Given } from '../settings.ts';
import { printable } from '../table.ts';
import { linkLines, makeLink } from './user-named.ts';

const createShape = {
  email: required(emailAddress),
  name: required(userName),
  role: optional(oneOf(ROLES)),
  passwordStdin: optional(flag),
};
const MEANINGS: Meanings<typeof createShape> = {
  email: ['address', 'The email address that the user signs in with'],
  name: ['text', 'How others see the user'],
  role: ['name', `${ROLES.join(', ')} (default: viewer)`],
  passwordStdin: ['', 'Read the password from standard input, in place of making a link to set one'],
};

export function addCreate(user: Command, run: Run): void {
  const command = user
    .command('create')
    .description('Create a user of the console; without a password, a link to set one is shown this once');
  addShapeFlags(command, createShape, MEANINGS);
  addCommonFlags(command);
  addNotes(
    command,
    'Roles: an owner may do everything; a manager all but users; support changes licenses and deletes\nnothing; a viewer looks, without whole license keys.',
  );
  addExamples(command, [
    ['The first owner', 'latchkey user create --email ada@example.com --name Ada --role owner'],
    [
      'With a password, in a script',
      'latchkey user create --email bob@example.com --name Bob --role support --password-stdin < password.txt',
    ],
  ]);
  command.action(async (given: Given) => {
    const { passwordStdin, ...input } = readFlags(createShape, given);
    const password = passwordStdin ? await readPassword(run.io.stdin, input) : null;
    return changing(run, async (service) => {
      const passwordHash = password === null ? null : await hashPassword(password);
      const made = await service.execute(
        'create-user',
        { ...input, role: input.role ?? 'viewer', passwordHash },
        OWNER,
      );
      if (!made.ok) throw failureOf(made.refusal);
      const record = presentUser(made.value);
      const who = `User ${made.value.id}, ${printable(made.value.name)}, is made`;
      if (password !== null) return answer(run, record, () => `${who}, with the password given.`);
      const link = await makeLink(service, made.value, run);
      answer(run, { ...record, ...link }, () =>
        [`${who}. To set a password, by this link, which is shown this once:`, '', ...linkLines(link)].join(
          '\n',
        ),
      );
    });
  });
}

/** The first line, without its end. @throws Failure, which does not repeat it */
async function readPassword(
  input: AsyncIterable<Buffer>,
  user: { name: string; email: string },
): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(part);
  const read = newPassword.read(
    Buffer.concat(parts)
      .toString('utf8')
      .replace(/\r?\n$/, ''),
  );
  const fault = read.ok ? passwordFault(read.value, user) : read.problem;
  if (read.ok && fault === null) return read.value;
  throw invalidValues({ password_stdin: `wants a password, which ${inWords(fault as Problem)}` });
}
