import { assess, type Check, verifyFor } from './check.ts';
import { type Context, openContext, randomText } from './context.ts';
import type { DeviceKey } from './device-key.ts';
import { failure, LatchkeyError } from './errors.ts';
import { offlineReceipt, offlineRequest } from './offline.ts';
import type { ActivateOptions, CallOptions, Options, Update, UpdateCheckOptions } from './options.ts';
import { freshLease, isDue, keepFresh, keepLease, mustWait, renew } from './renewal.ts';
import { forgetLicense } from './state.ts';
import { peek } from './verify.ts';

const DAY = 86_400;
/** The number of offline requests whose answers are still accepted. */
const NONCES_MAX = 5;
/** What `acceptLease` says, by code. */
const WHY_NOT: Record<string, string> = {
  malformed: 'This is not the whole text of a lease, which begins with LKLEASE1.',
  clock: 'The clock of this device is behind: set it first.',
};

/**
 * The license of a program on this device. It keeps a signed lease, checks it without a network, and fetches a new one in
 * the background. docs/integrate/javascript-sdk.md says what it does when something fails.
 */
export class Latchkey {
  readonly #options: Options;
  readonly #context: Context;
  /** The renewal in progress, if any. */
  #renewing: Promise<void> | null = null;
  /** Whether the server was asked since the program has started. */
  #hasAsked = false;
  /** The result of the last `check`, as JSON. */
  #told = '';

  /** @throws TypeError for options that cannot work */
  constructor(options: Options) {
    this.#context = openContext(options);
    this.#options = options;
  }

  /**
   * Says whether the program may run. Answers from the stored lease at once, and fetches a new lease in the background when
   * one is due. An activated device waits for the server if it has no lease that lets the program run, and once if its
   * lease has ended. Never rejects.
   * @param fresh asks the server now and waits for its answer, for a button “Check again”
   */
  async check({ fresh = false }: { fresh?: boolean } = {}): Promise<Check> {
    let found = await this.#context.look();
    if (fresh || isDue(found, this.#context.clock(), !this.#hasAsked)) {
      this.#hasAsked = true;
      const isWaiting = fresh || mustWait(found);
      this.#renewing ??= renew(this.#context, found).finally(() => {
        this.#renewing = null;
      });
      if (isWaiting) {
        await this.#renewing;
        found = await this.#context.look();
      } else void this.#renewing.then(() => this.#tell());
    }
    this.#told = JSON.stringify(found.check);
    return found.check;
  }

  /**
   * Activates this device. Activating with the same license key again takes no second seat.
   * @throws LatchkeyError with a `code` of the client API, such as `seat_limit_reached`
   */
  async activate(licenseKey: string, options: ActivateOptions = {}): Promise<Check> {
    const { label, meta, takeover, borrowHours, signal } = options;
    const { product, software } = this.#options;
    const context = this.#context;
    // Save the device before sending: if the answer is lost, the next attempt gets the same seat.
    const device = await context.keepDevice();
    const nonce = randomText();
    const body = {
      license_key: licenseKey.trim(),
      nonce,
      fingerprint: device.fingerprint,
      device_key: device.deviceKey,
      label,
      meta,
      product,
      software,
      takeover,
      borrow_hours: borrowHours,
    };
    const answer = await context.insist('activate', { body, signal });
    if (!answer.ok) throw failure(answer);
    const { activation, lease } = answer.body as { activation?: { token?: unknown }; lease?: unknown };
    const token = activation?.token;
    const fresh = await freshLease(context, device, lease, nonce);
    if (!fresh.ok || typeof token !== 'string') {
      const why = fresh.ok ? 'no_token' : fresh.code;
      throw new LatchkeyError('untrusted_answer', `The answer of the server has no good lease: ${why}.`);
    }
    await context.save((state) => {
      state.token = token;
      keepFresh(context, state, fresh);
    });
    return this.check();
  }

  /**
   * Frees the seat of this device and deletes its lease.
   * @throws LatchkeyError if the server does not confirm it (the lease then stays); `not_activated` if the device has a
   *   lease but no activation token
   */
  async deactivate({ signal }: CallOptions = {}): Promise<void> {
    const { token, lease } = await this.#context.load();
    if (token === undefined) {
      if (lease === undefined) return;
      throw new LatchkeyError(
        'not_activated',
        peek(lease).sub === undefined
          ? 'This device has no seat to free: its lease is a license file.'
          : 'This device has no activation token: use offlineRelease().',
      );
    }
    const answer = await this.#context.insist('deactivate', { token, signal });
    if (!answer.ok && answer.reason !== 'unauthenticated') throw failure(answer);
    await this.#context.save(forgetLicense);
  }

  /**
   * Asks for a newer version of the program.
   * @returns null if there is none
   * @throws LatchkeyError
   */
  async updateCheck({ signal, ...options }: UpdateCheckOptions = {}): Promise<Update | null> {
    const { token } = await this.#context.load();
    if (token === undefined) throw new LatchkeyError('not_activated', 'This device has no activation.');
    const body = { ...options, software: options.software ?? this.#options.software };
    const answer = await this.#context.ask('update-check', { body, token, signal });
    if (!answer.ok) throw failure(answer);
    return (answer.body.update ?? null) as Update | null;
  }

  /**
   * Makes a request for a device without a network, `LKREQ1.…`. A person takes the request to the vendor, and brings back
   * the text for `acceptLease`.
   * @throws LatchkeyError; TypeError without a device key
   */
  async offlineRequest(licenseKey: string, { label }: Pick<ActivateOptions, 'label'> = {}): Promise<string> {
    const key = this.#deviceKey();
    const entered = licenseKey.trim();
    // Nobody should carry this to the vendor.
    if (entered === '') throw new LatchkeyError('invalid_request', 'license_key is required.');
    const { fingerprint, deviceKey } = await this.#context.keepDevice();
    const nonce = randomText();
    await this.#context.save((state) => {
      state.nonces = [...state.nonces, nonce].slice(-NONCES_MAX);
    });
    return offlineRequest(key, {
      key: entered,
      x: deviceKey,
      n: nonce,
      iat: this.#context.clock(),
      fpr: fingerprint,
      lbl: label,
      prd: this.#options.product,
    });
  }

  /**
   * Takes a lease that a person has brought, `LKLEASE1.…`: the answer to one of the last five requests or, with
   * `acceptLicenseFiles`, a license file, for any device or for this one. A mail may have broken its lines.
   * @throws LatchkeyError with a code of the format of leases; `lease_expired` for a license file that has expired
   */
  async acceptLease(text: string): Promise<Check> {
    const whole = text.replace(/\s+/g, '');
    const context = this.#context;
    const state = await context.load();
    if (whole === state.lease) return this.check();
    const device = await context.device(state);
    // The clock of the device may be a day behind, as for `check`.
    const verified = await verifyFor(device, state, whole, context.clock() + DAY);
    if (!verified.ok)
      throw new LatchkeyError(
        verified.code,
        WHY_NOT[verified.code] ?? `This device cannot use the lease: ${verified.code}.`,
      );
    const { lease } = verified;
    const isAnswer = lease.n !== undefined && state.nonces.includes(lease.n);
    if (!isAnswer && !(device.acceptLicenseFiles && lease.n === undefined))
      throw new LatchkeyError(
        'other_nonce',
        'The lease answers none of the last five requests of this device: make a new one.',
      );
    if (!isAnswer && lease.grc <= context.clock())
      throw new LatchkeyError('lease_expired', 'This license file has expired: ask for a new one.');
    await context.save((kept) => {
      delete kept.token;
      kept.nonces = [];
      // The lease may be days old, so it does not tell the time. But an answer resets `seen` if the clock was far ahead
      // once.
      if (isAnswer && kept.seen > context.clock() + DAY) {
        kept.seen = 0;
        kept.skew = 0;
      }
      keepLease(kept, { ...verified, text: whole });
    });
    return this.check();
  }

  /**
   * Deletes the lease and the device key, and returns a receipt, `LKOFF1.…`, with which the vendor frees the seat of a
   * device without a network. Returns the same receipt again until there is a new lease.
   * @throws LatchkeyError, `not_activated` without a lease; TypeError without a device key
   */
  async offlineRelease(): Promise<string> {
    const key = this.#deviceKey();
    const context = this.#context;
    const state = await context.load();
    if (state.receipt !== undefined) return state.receipt;
    const { lease } = await assess(await context.device(state), state, context.clock());
    if (!lease?.sub) throw new LatchkeyError('not_activated', 'This device has no lease to release.');
    const { sub, lic } = lease;
    // If the clock is behind, use the time of the lease: the server refuses a receipt that is older than the lease.
    const iat = Math.max(context.clock(), lease.iat);
    const receipt = await offlineReceipt(key, { sub, lic, x: await key.publicKey(), iat });
    await context.save((kept) => {
      forgetLicense(kept);
      kept.receipt = receipt;
    });
    await key.clear();
    return receipt;
  }

  #deviceKey(): DeviceKey {
    const { deviceKey } = this.#options;
    if (!deviceKey) throw new TypeError('A device without network needs the option deviceKey');
    return deviceKey;
  }

  /** Calls `onChange` if a background renewal has changed the result of the last `check`. */
  async #tell(): Promise<void> {
    const { check } = await this.#context.look();
    const told = JSON.stringify(check);
    if (told === this.#told) return;
    this.#told = told;
    try {
      await this.#options.onChange?.(check);
    } catch (error) {
      // Nobody could catch it here, so it would end a Node.js process. A page hears of it as of any other error.
      const { window: page } = globalThis as { window?: { reportError?: (error: unknown) => void } };
      // biome-ignore lint/suspicious/noConsole: the only place that a process has for it
      (page?.reportError ?? console.error)(error);
    }
  }
}
