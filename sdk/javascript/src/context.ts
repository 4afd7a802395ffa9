import { encode } from './base64url.ts';
import { type Assessed, assess, type Device, refused } from './check.ts';
import { isUnsupported, requireEd25519 } from './compact.ts';
import { type LatchkeyError, storageFailed, unsupported } from './errors.ts';
import { checkOptions, type Options } from './options.ts';
import { persist } from './refusals.ts';
import { type Answer, type Asked, ask } from './server.ts';
import { emptyState, type State } from './state.ts';
import { openStateStore } from './state-store.ts';

const HOUR = 3_600;
/** The default timeout of a request, in milliseconds. */
const TIMEOUT = 10_000;

export const randomText = (): string => encode(crypto.getRandomValues(new Uint8Array(16)));

/** The result of looking at the stored state. */
export interface Found extends Assessed {
  /** null if the storage does not answer. */
  state: State | null;
}

/** This device, its storage, its clock and its server. */
export type Context = ReturnType<typeof openContext>;

/** @throws TypeError for options that cannot work */
export function openContext(options: Options) {
  checkOptions(options);
  const store = openStateStore(options.storage);
  const { roots, product, acceptLicenseFiles = false, timeout = TIMEOUT, random = Math.random } = options;
  const builtAt = options.builtAt ? Math.floor(options.builtAt.getTime() / 1_000) : 0;
  const root = `${options.url.replace(/\/+$/, '')}/client/v1`;

  const failed = (cause: unknown): LatchkeyError =>
    isUnsupported(cause) ? unsupported() : storageFailed(cause);
  /** The time by the clock of this device, in seconds since 1970. */
  const clock = (): number => Math.floor((options.now ?? Date.now)() / 1_000);

  async function device(state: State): Promise<Device> {
    const deviceKey = await options.deviceKey?.publicKey();
    const { givenFingerprint: stored } = state;
    // A program that cannot tell its fingerprint, now or at the activation, keeps what was stored then.
    const given = options.fingerprint === null || stored === null ? stored : options.fingerprint;
    const fingerprint = given ?? deviceKey ?? state.fingerprint;
    return { roots, product, acceptLicenseFiles, builtAt, deviceKey, fingerprint };
  }

  const askOnce = (operation: string, asked?: Asked): Promise<Answer> =>
    ask(options.fetch ?? globalThis.fetch, `${root}/${operation}`, timeout, asked);

  return {
    clock,
    device,
    random,
    store,
    ask: askOnce,

    /** Sends a request, and repeats it after failures with the same idempotency key. */
    insist(operation: string, asked: Pick<Asked, 'body' | 'token' | 'signal'>): Promise<Answer> {
      const idempotencyKey = randomText();
      return persist(() => askOnce(operation, { ...asked, idempotencyKey }), random, asked.signal);
    },

    /** @throws LatchkeyError */
    load: (): Promise<State> =>
      store.load().catch((error) => {
        throw failed(error);
      }),

    /** @throws LatchkeyError */
    async save(change: (state: State) => void): Promise<void> {
      await store.save(change).catch((error) => {
        throw failed(error);
      });
    },

    /** Returns the device, after saving a fingerprint for it. @throws LatchkeyError */
    async keepDevice(): Promise<Device> {
      try {
        await requireEd25519();
        // If several processes start a new device at the same time, the first one's fingerprint is kept.
        await store.create({ ...emptyState(), fingerprint: randomText() });
        const state = await store.save((kept) => {
          kept.fingerprint ??= randomText();
          if (options.fingerprint === null) kept.givenFingerprint ??= null;
          // An activated device without a fingerprint goes on without, so that it keeps its seat.
          const isActivated = kept.token !== undefined || kept.lease !== undefined;
          if (options.fingerprint && !(isActivated && kept.givenFingerprint === null))
            kept.givenFingerprint = options.fingerprint;
        });
        return await device(state);
      } catch (error) {
        throw failed(error);
      }
    },

    /** Says what the stored state allows now, and remembers the time. It never rejects. */
    async look(): Promise<Found> {
      try {
        const state = await store.load();
        const isNew = state.lease === undefined && state.token === undefined;
        if (isNew) return { ...NOTHING, state };
        const found = await assess(await device(state), state, clock());
        const time = found.time ?? 0;
        if (time - state.seen > HOUR)
          await store.update((kept) => {
            kept.seen = Math.max(kept.seen, time);
          });
        return { ...found, state };
      } catch (error) {
        return { ...NOTHING, check: refused('unlicensed', failed(error).code) };
      }
    },
  };
}

const NOTHING: Found = {
  state: null,
  check: refused('unlicensed', 'not_activated'),
  lease: null,
  time: null,
};
