import type { Certificate } from '../../app/keys/certificate.ts';
import type { KeySet } from '../../app/keys/key-set.ts';
import { toDatetime } from '../../domain/datetime.ts';
import type { SigningKeyRecord } from '../../domain/signing-key.ts';

/** Returns keys as `latchkey signing-key` shows them, without their private halves. */
export function shownKeys(
  { root, spare, signing }: KeySet,
  { nbf, exp }: Certificate,
  all: readonly SigningKeyRecord[],
) {
  return {
    /** The public keys that programs pin. */
    pins: [root.x, spare.x],
    root: shownKey(root),
    spare: shownKey(spare),
    signing_key: {
      ...shownKey(signing),
      not_before: toDatetime(nbf * 1_000),
      expires_at: toDatetime(exp * 1_000),
    },
    ended: all
      .filter(({ retiredAt }) => retiredAt !== null)
      .map(({ kid, role, state, retiredAt }) => ({ id: kid, role, state, since: retiredAt })),
  };
}

const shownKey = ({ kid, x, hasPrivateHalf, createdAt }: SigningKeyRecord) => ({
  id: kid,
  public_key: x,
  private_half: hasPrivateHalf ? 'database' : 'exported',
  created_at: createdAt,
});

export function keyWords({
  root,
  spare,
  signing_key: signing,
  ended,
}: ReturnType<typeof shownKeys>): string[] {
  const place = (half: string) => (half === 'database' ? 'in the database' : 'exported');
  const rootLine = (name: string, key: typeof root) =>
    `${name} ${key.id}: since ${key.created_at} UTC, private half ${place(key.private_half)}.`;
  return [
    'Root keys to pin in programs:',
    ...[root, spare].map((key) => `  ${key.public_key}`),
    '',
    rootLine('Active root', root),
    rootLine('Spare root', spare),
    `Signing key ${signing.id}: since ${signing.created_at} UTC, certified until ${signing.expires_at} UTC.`,
    ...ended.map(
      ({ id, role, state, since }) =>
        `${state === 'revoked' ? 'Revoked' : 'Retired'} at ${since} UTC: ${role} key ${id}.`,
    ),
  ];
}
