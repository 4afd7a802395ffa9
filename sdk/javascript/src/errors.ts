import type { Json } from './compact.ts';
import type { Answer } from './server.ts';

/** The error of `activate`, `deactivate`, `updateCheck`, `acceptLease`, `offlineRequest` or `offlineRelease`. */
export class LatchkeyError extends Error {
  override readonly name = 'LatchkeyError';
  /**
   * A `code` of the client API (`seat_limit_reached`), a code of the lease format (`other_device`), or one of
   * `unreachable`, `unavailable`, `rate_limited`, `aborted`, `untrusted_answer`, `storage_failed`, `not_activated`,
   * `lease_expired`, `unsupported`.
   */
  readonly code: string;
  /** The problem that the server answered, with `detail`, `holders`, `frees_at`, `takeover_allowed` …; else empty. */
  readonly problem: Json;
  /** Seconds to wait before another attempt; null if the server named none. */
  readonly retryAfter: number | null;

  /** @param cause the error of `fetch` or of the storage, if there is one */
  constructor(
    code: string,
    message: string,
    problem: Json | null = null,
    retryAfter: number | null = null,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.problem = problem ?? {};
    this.retryAfter = retryAfter;
  }
}

/** Converts a failed answer to an error. */
export function failure(failed: Extract<Answer, { ok: false }>): LatchkeyError {
  const { reason, status, problem, retryAfter, cause } = failed;
  const what = status === null ? reason : `${reason} (HTTP ${status})`;
  const unusable =
    reason === 'aborted' ? 'The call was aborted.' : `The license server gave no usable answer: ${what}.`;
  return new LatchkeyError(reason, String(problem?.detail ?? unusable), problem, retryAfter, cause);
}

export const storageFailed = (cause: unknown): LatchkeyError =>
  new LatchkeyError(
    'storage_failed',
    `The license cannot be stored: ${String((cause as Error)?.message ?? cause)}`,
    null,
    null,
    cause,
  );

export const unsupported = (): LatchkeyError =>
  new LatchkeyError('unsupported', 'WebCrypto has no Ed25519 here: update the browser, or use HTTPS.');
