import { randomBytes } from 'node:crypto';
import type { Scenario } from './measure.ts';
import type { Program } from './program.ts';

type Kind = 'wrong_password' | 'again' | 'unknown' | 'invited' | 'disabled' | 'disabled_right';

const RIGHT = 'correct horse battery';
const addressOf = (name: string): string => `${name}@example.test`;
const signIn = (name: string, password: string): string => {
  const body = JSON.stringify({ email: addressOf(name), password });
  return [
    'POST /console/api/session HTTP/1.1',
    'Host: x',
    'x-csrf-token: 1',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
};
const random = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Sign-ins with an unknown address, as a user without a password, as a disabled user, and with a wrong password. */
export async function signInScenario(latchkey: Program): Promise<Scenario<Kind>> {
  // These names are as long as the unknown ones.
  const [known, invited, disabled] = [random(4), random(4), random(4)] as [string, string, string];
  const create = (name: string, ...flags: string[]) =>
    latchkey(['user', 'create', '--email', addressOf(name), '--name', name, ...flags], RIGHT);
  await create(known, '--password-stdin');
  await create(disabled, '--password-stdin');
  await create(invited);
  await latchkey(['user', 'disable', addressOf(disabled)]);
  const wrong = (name: string) => () => signIn(name, random(RIGHT.length / 2));
  return {
    kinds: {
      wrong_password: wrong(known),
      // Differences between these two kinds come from other work of the machine.
      again: wrong(known),
      unknown: () => signIn(random(4), random(RIGHT.length / 2)),
      invited: wrong(invited),
      disabled: wrong(disabled),
      disabled_right: () => signIn(disabled, RIGHT),
    },
    pairs: (['again', 'unknown', 'invited', 'disabled', 'disabled_right'] as const).map((kind) => [
      kind,
      'wrong_password',
    ]),
    warm: 20,
  };
}
