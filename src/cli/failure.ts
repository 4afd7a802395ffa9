import { RotationRefused } from '../app/keys/rotate-master-key.ts';
import { MoveRefused } from '../app/moving/move-in.ts';
import { FileLost } from '../app/releases/file-lost.ts';
import { ArchiveDamaged, ArchiveRefused } from '../archive/archive.ts';
import { isConsumerKey } from '../domain/api-key.ts';
import { parameterName } from '../domain/fields.ts';
import type { Outcome, RefusalArgs, RefusalCode } from '../domain/refusal.ts';
import { FILE_MAX } from '../domain/releases/release.ts';
import { isSetupFault } from '../installation/service.ts';
import { BytesMissing, StorageUnavailable, TooManyBytes } from '../storage/storage.ts';
import { CopyRefused } from '../store/backups/copy.ts';
import { StoreDamaged, StoreUnavailable } from '../store/store.ts';
import { paramsOf } from '../words/problems.ts';
import { grouped, printable } from './table.ts';

/** The meaning of each exit code, the same for every command. */
export const EXIT_CODES: Readonly<Record<string, string>> = {
  '0': 'done',
  '1': 'refused or failed: not found, already exists, lines rejected, doctor or verify found a fault',
  '2': 'wrong usage or an invalid value; the message names the flag',
  '3': 'the environment is at fault: settings, files, the storage, the database or its master key',
  '130, 143':
    'interrupted; nothing was changed. master-key rotate keeps its progress: run it again to continue',
};
export type ExitCode = 1 | 2 | 3 | 130 | 143;

/** Why a command failed, in words for the person who ran it. */
export class Failure extends Error {
  readonly exitCode: ExitCode;
  /** Error code, for scripts. */
  readonly code: string;
  /** Further values for scripts, besides the code and the message. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(exitCode: ExitCode, code: string, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.details = details;
  }
}

/** Returns the flag of a parameter: `--license-key` for `licenseKey` or `license_key`. */
export const flagOfParameter = (name: string): string => `--${parameterName(name).replaceAll('_', '-')}`;

/** Returns the failure for invalid values, given by parameter name; the message names their flags. */
export function invalidValues(params: Record<string, string>): Failure {
  const sentences = Object.entries(params).map(([name, reason]) => `${flagOfParameter(name)} ${reason}`);
  return new Failure(2, 'invalid_value', sentences.join(' '), { params });
}

/**
 * Returns the value of an outcome.
 * @param flags flags that are not named as their field is, by field
 * @throws Failure, in the words of the command line, if the outcome is a refusal
 */
export function orFail<T>(outcome: Outcome<T>, flags: Readonly<Record<string, string>> = {}): T {
  if (outcome.ok) return outcome.value;
  const { code, args } = outcome.refusal;
  if (code === 'invalid') {
    const named = Object.entries(args.fields).map(([field, problem]) => [flags[field] ?? field, problem]);
    throw invalidValues(paramsOf(Object.fromEntries(named)));
  }
  if (code === 'record_not_found') throw notFound(args);
  const words = REFUSED[code] as ((args: unknown) => string) | undefined;
  throw new Failure(1, code, words?.(args) ?? `Refused: ${code.replaceAll('_', ' ')}.`);
}

function notFound({ kind, named }: RefusalArgs['record_not_found']): Failure {
  const name = typeof named === 'string' ? named : String(named.id);
  const words = kind === 'api_key' ? 'API key' : kind.replaceAll('_', ' ');
  // Do not repeat a whole consumer key: it may be a valid one with one wrong digit, and logs keep the output of commands.
  const said =
    kind === 'api_key' && isConsumerKey(name)
      ? `with the consumer key that ends in ${name.slice(-7)}`
      : `"${printable(name)}"${kind === 'release' ? ' of this software' : ''}`;
  return new Failure(1, `${kind}_not_found`, `There is no ${words} ${said}.`);
}

/** The words of refusals. Refusals about downloads, sessions and restricted products are missing: no command causes them. */
const REFUSED: { readonly [C in RefusalCode]?: (args: RefusalArgs[C]) => string } = {
  license_key_exists: ({ named }) => `A license with the key "${printable(named)}" already exists.`,
  license_expired: ({ at }) => `The license expired at ${at} UTC. Extend it first.`,
  license_disabled: () => 'The license is disabled. Enable it first.',
  activation_limit_reached: ({ limit }) =>
    `The license has reached its activation limit of ${grouped(limit)}. Raise it, or deactivate another activation first.`,
  activation_already_active: () => 'The activation, or another one of its device, is already valid.',
  activation_already_deactivated: () => 'The activation is already deactivated.',
  keys_exhausted: ({ amount, available }) =>
    available === null
      ? `The generator has too few free keys left to make ${amount}. No key was made.`
      : `The generator has ${available} free keys left, not ${amount}. No key was made.`,
  api_key_revoked: ({ id, since }) => `API key ${id} was already revoked, at ${since} UTC.`,
  api_key_expired: ({ id, since }) => `API key ${id} has already expired, at ${since} UTC.`,
  api_key_replaced: ({ id, by }) =>
    `API key ${id} was already replaced by ${by}. Rotate that one. To end this one now, revoke it.`,
  api_key_of_settings: ({ id }) =>
    `API key ${id} is the one in LATCHKEY_CONSUMER_KEY, which always has full permission. Create another one and set LATCHKEY_CONSUMER_KEY to it.`,
  root_key_needed: ({ kid }) =>
    `The private half of the root key ${kid} is not in the database. Give the file that it was exported to: --root-file FILE.`,
  root_key_differs: ({ kid, given }) =>
    `The key in --root-file is not the root key ${kid}${given === null ? '' : `: it is ${given}`}.`,
  spare_just_used: ({ at }) =>
    `The spare root key came into use at ${at} UTC. Programs in the field do not pin the next one: they would refuse all leases. If you want that, add --again.`,
  root_key_exported: ({ kid }) =>
    `The private half of the root key ${kid} is not in the database: it was exported before.`,
  too_many_revoked_keys: ({ limit }) =>
    `Leases cannot name more than ${limit} revoked keys. Use the spare root instead, which voids all keys of the old root: latchkey signing-key use-spare`,
  staged_keys_exist: () => 'Another program is making keys of the same form. Try again.',
  software_id_exists: ({ id }) => `Software with the id ${id} already exists.`,
  software_slug_exists: ({ named }) => `Software with the slug "${printable(named)}" already exists.`,
  release_version_exists: ({ named }) => `Version ${printable(named)} of this software already exists.`,
  event_endpoint_disabled: () => 'The event endpoint is disabled. Enable it first.',
  event_endpoint_polled: () => 'The event endpoint is polled: nothing is sent to it, and it has no secret.',
  too_many_event_endpoints: ({ max }) => `There are ${max} event endpoints already. Delete one first.`,
  user_email_exists: ({ named }) => `A user with the address ${printable(named)} already exists.`,
  user_disabled: ({ named }) => `${printable(named)} is disabled. Enable the user first.`,
  last_owner: ({ named }) =>
    `${printable(named)} is the last owner who can sign in. Make another user an owner first.`,
};

export const fileTooLarge = (): Failure =>
  new Failure(1, 'file_too_large', `The file is larger than the maximum of ${grouped(FILE_MAX)} bytes.`);

/** Text that precedes the message of a refused copy. */
const COPY_REFUSED: Partial<Record<CopyRefused['code'], string>> = {
  target_not_empty: 'the target is not empty: ',
  rows_refused: 'the target cannot hold all rows: ',
  copy_differs: 'the copy differs: ',
  space_missing: 'the disk is too small: ',
};
const AT_FAULT: readonly CopyRefused['code'][] = [
  'target_unavailable',
  'master_key_missing',
  'master_key_differs',
  'space_missing',
];

/** Returns the failure of a copy. @param outcome what was not done: "Nothing was moved" */
export const copyFailure = (outcome: string, { code, message }: CopyRefused, advice = ''): Failure => {
  const words = `${outcome}: ${COPY_REFUSED[code] ?? ''}${message}.${advice}`;
  return new Failure(AT_FAULT.includes(code) ? 3 : 1, code, words);
};

/** The end of some messages, which doctor leaves out. */
export const SEE_DOCTOR = ' Run "latchkey doctor" for details.';

/** Translates what a command has thrown into words and an exit code; null for an unexpected error. */
export function foreseen(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error)) return null;
  const { message } = error;
  const atFault = (code: string, words: string) => new Failure(3, code, `${words}: ${message}.${SEE_DOCTOR}`);
  if (error instanceof StoreUnavailable) {
    if (!message.includes('locked')) return atFault('database_unavailable', 'The database cannot be used');
    const words = 'Another program has locked the database. Try again when it is done.';
    return new Failure(3, 'database_unavailable', words);
  }
  if (error instanceof StorageUnavailable)
    return atFault('storage_unavailable', 'The storage for release files cannot be used');
  if (error instanceof BytesMissing)
    return atFault('bytes_missing', 'A release file is missing from the storage');
  if (error instanceof StoreDamaged) {
    const words = `The database is damaged: ${message}. Restore it from a backup.${SEE_DOCTOR}`;
    return new Failure(3, 'database_damaged', words);
  }
  if (error instanceof ArchiveRefused) return new Failure(1, error.code, `No backup was made: ${message}.`);
  if (error instanceof ArchiveDamaged)
    return new Failure(1, 'backup_damaged', `The backup is damaged: ${message}.`);
  if (error instanceof FileLost) {
    const words = `No backup was made: a release file is missing or changed: ${message}. "latchkey doctor" names the release; --without-artifacts skips all release files.`;
    return new Failure(1, 'file_lost', words);
  }
  if (error instanceof RotationRefused) return new Failure(3, error.code, message);
  if (error instanceof MoveRefused) return new Failure(1, error.code, message);
  if (error instanceof CopyRefused) return copyFailure('Nothing was moved', error);
  if (error instanceof TooManyBytes) return fileTooLarge();
  if (isSetupFault(error)) return new Failure(3, 'setup', `${capitalized(message)}.`);
  return systemFailure(error);
}

/** Capitalizes the first word, unless it is a path or an address. */
export const capitalized = (text: string): string =>
  text.replace(/^[a-z]+ /, (word) => word.charAt(0).toUpperCase() + word.slice(1));

/** What to do about errors of the operating system. */
const SYSTEM_ADVICE: Record<string, string> = {
  EACCES:
    'permission denied. Run latchkey as the user who owns it, give this user access, or name a path elsewhere.',
  EPERM: 'not permitted. Run latchkey as the user who owns it.',
  ENOENT: 'there is no such file or folder.',
  ENOTDIR: 'a part of this path is a file, not a folder.',
  EISDIR: 'this is a folder, not a file.',
  ESPIPE: 'this is a pipe. Write it to a file first, and name that file.',
  ELOOP: 'this is a symbolic link, which is not followed here. Remove it.',
  EEXIST: 'a file exists where a folder must be made.',
  EROFS:
    'the file system is read-only. Mount it for writing. If it became read-only by itself, check the disk.',
  ENOSPC: 'no space is left on the disk. Free some and try again.',
  EDQUOT: "this user's disk quota is used up.",
  EFBIG: 'the file is larger than the file system or the limit of this user (ulimit -f) allows.',
  EIO: 'the disk failed to read or write.',
  EMFILE: 'too many files are open. Raise the limit (ulimit -n).',
};

function systemFailure(
  error: NodeJS.ErrnoException & { address?: string; hostname?: string; port?: number },
): Failure | null {
  const { code = '', path, syscall, address, hostname, port } = error;
  const failure = (message: string) => new Failure(3, code.toLowerCase(), message);
  if (syscall === 'listen' || syscall === 'getaddrinfo' || syscall === 'bind') {
    if (code === 'EADDRINUSE') {
      return failure(
        `Port ${port} of ${address} is in use by another program. Stop it, or choose another port with --port (for metrics, --metrics-port).`,
      );
    }
    if (code === 'EACCES')
      return failure(
        `Port ${port} is only for privileged users. Choose one above 1023 with --port (for metrics, --metrics-port).`,
      );
    const host = printable(address ?? hostname ?? '');
    return failure(
      `This machine does not have the address "${host}" to listen on. Choose another one with --host (for metrics, --metrics-host).`,
    );
  }
  if (syscall === 'uv_cwd') return failure('The current folder was deleted. Change to another one.');
  // The missing folder has no owner whom the usual advice could mean.
  const advice =
    code === 'EACCES' && syscall === 'mkdir'
      ? 'permission denied. Make this folder yourself, give it to the user who runs latchkey, and try again.'
      : SYSTEM_ADVICE[code];
  if (advice === undefined) return null;
  return failure(path === undefined ? capitalized(advice) : `${printable(path)}: ${advice}`);
}
