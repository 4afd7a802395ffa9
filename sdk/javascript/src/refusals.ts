import type { Answer } from './server.ts';
import type { Refused } from './state.ts';

type Failed = Extract<Answer, { ok: false }>;

/** The error codes that end a lease, with the HTTP status that must come with each, and the resulting state. */
const ENDINGS: Readonly<Record<string, [status: number, state: Refused['state']]>> = {
  license_disabled: [403, 'revoked'],
  activation_ended: [410, 'revoked'],
  license_expired: [403, 'expired'],
  unauthenticated: [401, 'unlicensed'],
  fingerprint_mismatch: [403, 'unlicensed'],
};
/** The reasons for which an activation can have ended. */
const REASONS = ['deactivated', 'reclaimed', 'lapsed', 'license_deleted'];

/**
 * Returns the refusal of a license in an answer; null for every other failure, which says nothing about the license.
 * Answers are not signed: anyone who can forge one (with the server's certificate) stops the program until the real server
 * answers.
 */
export function refusalOf({ reason: code, status, problem }: Failed): Refused | null {
  const ending = problem && ENDINGS[code];
  if (ending?.[0] !== status) return null;
  const reason = REASONS.find((one) => code === 'activation_ended' && one === problem?.reason);
  return { state: ending[1], reason: reason ?? code };
}

const MINUTE = 60;
const RETRY_MAX = 3_600;

/**
 * Returns the seconds until the next attempt: a random time (full jitter) below 1, 2, 4 … minutes, and at most an hour. The
 * delay is no shorter than the server asks for, unless the server asks for more than an hour.
 * @param failures the number of failures so far
 * @param random a number between 0 and 1
 */
export function retryDelay(failures: number, retryAfter: number | null, random: number): number {
  const jitter = random * Math.min(RETRY_MAX, MINUTE * 2 ** Math.min(failures, 20));
  const least = Math.min(RETRY_MAX, retryAfter ?? 0);
  return Math.ceil(Math.min(RETRY_MAX, Math.max(least + jitter / 10, jitter)));
}

/**
 * Whether it is time for another attempt. If `at` is further away than the longest delay, the clock was set back, and the
 * attempt may run.
 */
export const mayRetry = (at: number, now: number): boolean => now >= at || at - now > RETRY_MAX;

const ATTEMPTS = 3;
const FIRST_DELAY = 500;
/** The longest delay between attempts while a user waits, in milliseconds. */
const WAIT_MAX = 5_000;
const PASSING = ['unreachable', 'unavailable', 'rate_limited', 'server_error'];

/** Repeats a request that a user waits for, up to three attempts, as long as the failure may be temporary. */
export async function persist(
  attempt: () => Promise<Answer>,
  random: () => number,
  signal?: AbortSignal,
): Promise<Answer> {
  for (let failures = 1; ; failures++) {
    const answer = await attempt();
    if (answer.ok || failures === ATTEMPTS || !PASSING.includes(answer.reason)) return answer;
    const delay = Math.max((answer.retryAfter ?? 0) * 1_000, random() * FIRST_DELAY * 2 ** failures);
    if (delay > WAIT_MAX) return answer;
    await new Promise<void>((resolve) => {
      // After an abort, the next attempt says so, and sends nothing.
      const goOn = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', goOn);
        resolve();
      };
      const timer = setTimeout(goOn, delay);
      signal?.addEventListener('abort', goOn);
    });
  }
}
