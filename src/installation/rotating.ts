import { existsSync } from 'node:fs';
import { RotationRefused } from '../app/keys/rotate-master-key.ts';
import { fingerprintOf, keyIdOf, sealBundle, sealingKeyOf } from '../store/keys/key-bundle.ts';
import {
  exchangeMasterKey,
  makeNextMasterKey,
  nextMasterKeyFile,
  readMasterKey,
  readNextMasterKey,
  retiredMasterKeyFile,
} from '../store/keys/master-key.ts';
import type { MasterKeyState, NewRotation, Rotation } from '../store/store.ts';
import { openForCommand, type PreparedDatabase, type StoreConfig } from './service.ts';

/**
 * Opens the configured database and prepares the rotation of its master key.
 * @throws RotationRefused, and the errors of `openService`
 */
export async function openRotation(config: StoreConfig) {
  const { prepared, service } = await openForCommand(config, { mustExist: true });
  try {
    const state = await service.store.read.masterKey.state();
    const { dataDir } = config;
    const done = alreadyDone(config, prepared, state);
    const next = done ? prepared.masterKey : nextMasterKey(config, prepared, state);
    return {
      service,
      /** Whether the rotation has already finished. */
      done,
      /** The new rotation; null if one is in progress or done. */
      begin: done || state.rotation ? null : newRotation(prepared, next),
      /**
       * Moves the new key file into place.
       * @returns the file with the old key; null if there is none: the key comes from the environment, or the file held
       *   the new key already
       */
      exchange(): string | null {
        if (config.masterKey) return null;
        exchangeMasterKey(dataDir, next);
        const { retired } = state;
        const old = done ? retired.at(-1)?.fingerprint : (state.rotation?.from ?? state.fingerprint);
        const file = retiredMasterKeyFile(dataDir, old ?? '');
        return existsSync(file) ? file : null;
      },
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Whether the rotation to continue has already finished. */
function alreadyDone(
  { masterKey, nextMasterKey }: StoreConfig,
  prepared: PreparedDatabase,
  { rotation, retired }: MasterKeyState,
): boolean {
  if (rotation) return false;
  if (masterKey === null) return prepared.exchanged;
  const isRetired = retired.some(({ fingerprint }) => fingerprint === fingerprintOf(masterKey));
  return isRetired && nextMasterKey !== null && prepared.masterKey === nextMasterKey;
}

/** Returns the new master key. @throws RotationRefused if there is none, or it cannot be used */
function nextMasterKey(
  config: StoreConfig,
  { masterKey, keys }: PreparedDatabase,
  { rotation, retired }: MasterKeyState,
): Uint8Array {
  const inFile = config.masterKey === null;
  if (rotation) return keyUnderWay(config, rotation);
  const next = inFile ? makeNextMasterKey(config.dataDir) : config.nextMasterKey;
  if (!next) {
    throw new RotationRefused(
      'next_master_key_missing',
      'The master key is in LATCHKEY_MASTER_KEY: set LATCHKEY_NEXT_MASTER_KEY to the new one, 64 hex digits ("openssl rand -hex 32").',
    );
  }
  const name = inFile ? nextMasterKeyFile(config.dataDir) : 'LATCHKEY_NEXT_MASTER_KEY';
  const unfit = (what: string) =>
    new RotationRefused('next_master_key_unfit', `${name} ${what}. Set another one.`);
  const fingerprint = fingerprintOf(next);
  if (fingerprint === fingerprintOf(masterKey)) throw unfit('holds the current key');
  const before = retired.find((one) => one.fingerprint === fingerprint);
  if (before) throw unfit(`holds a key that was retired at ${before.retiredAt} UTC`);
  // Sealed license keys name their sealing key by an id of four bytes: one pair of keys in some billions has the same id.
  if (keys.opening.some(({ id }) => id === sealingKeyOf(next).id))
    throw unfit('holds a key with the same id as one in use');
  return next;
}

function keyUnderWay(config: StoreConfig, { to, begunAt }: Rotation): Uint8Array {
  const { dataDir, masterKey } = config;
  const inFile = masterKey === null;
  const given = inFile
    ? [readNextMasterKey(dataDir), readMasterKey(dataDir)]
    : [config.nextMasterKey, masterKey];
  const found = given.find((key) => key && fingerprintOf(key) === to);
  if (found) return found;
  const began = `The rotation that began at ${begunAt} UTC needs its new key: `;
  throw new RotationRefused(
    'next_master_key_missing',
    began +
      (inFile
        ? `restore ${nextMasterKeyFile(dataDir)}, or run this on the machine where the rotation began.`
        : 'set LATCHKEY_NEXT_MASTER_KEY to it.'),
  );
}

/**
 * Prepares a rotation. Once it has begun, both master keys open the key bundle, and so does the sealing key, which every
 * running process has.
 */
function newRotation({ masterKey, keys }: PreparedDatabase, next: Uint8Array): NewRotation {
  const sealing = sealingKeyOf(next);
  const [from, to, holder] = [masterKey, next, keys.sealing.key].map(fingerprintOf) as [
    string,
    string,
    string,
  ];
  const sealedFor = (key: Uint8Array) => sealBundle(keys, sealing, key);
  return {
    from,
    to,
    keyId: keyIdOf(sealing),
    bundles: { [from]: sealedFor(masterKey), [to]: sealedFor(next), [holder]: sealedFor(keys.sealing.key) },
    temporary: [from, holder],
  };
}
