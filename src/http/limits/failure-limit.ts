import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mayCall } from '../../domain/api-key.ts';
import { addressOf, networkOf } from '../client-address.ts';
import type { Guess } from '../errors.ts';
import type { Services } from '../services.ts';
import { createPolicy, tooManyRequests } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts a failure that may be a guess. @throws 429 if the address has failed too often */
    noteGuess(guess: Guess, reply: FastifyReply): Promise<void>;
    /**
     * Call this before looking up a license key.
     * @throws 429 if the address has guessed so many license keys that it may not look up any
     */
    refuseKeyGuesser(reply: FastifyReply): void;
  }
}

/** The failures of an address in its current minute, in this process. */
interface Tally {
  until: number;
  failures: Partial<Record<Guess, number>>;
  total: number;
}

/** Maximum number of addresses whose failures are counted by kind, for the log. */
const TALLIES_MAX = 10_000;
/** An address is logged when its failures reach this fraction of the limit, and at the limit. */
const LOGGED = 1 / 3;

/**
 * Limit of unknown license keys from one address with any API key, as a multiple of its failure limit. Beyond it, the
 * address may look up no license key with an API key. License keys may follow a pattern that can be guessed; credentials and
 * tokens have 160 random bits.
 */
const KEYS_TO_FAILURES = 10;

/**
 * Counts failures by address: wrong credentials, and unknown license keys and tokens. If an address has failed too often in
 * a minute, further failures are answered 429 for the rest of the minute, and not counted. Requests that do not fail pass:
 * other clients may share the address.
 */
export function limitFailures(app: FastifyInstance, services: Services, perMinute: number): void {
  if (perMinute === 0) {
    app.decorateRequest('noteGuess', async () => {});
    app.decorateRequest('refuseKeyGuesser', () => {});
    return;
  }
  const policy = createPolicy(services, { name: 'failures', quota: perMinute, prefix: 'failures:' });
  const keyPolicy = createPolicy(services, {
    name: 'license-keys',
    quota: KEYS_TO_FAILURES * perMinute,
    prefix: 'license-keys:',
  });
  const tallies = new Map<string, Tally>();
  const loggedAt = Math.max(1, Math.floor(perMinute * LOGGED));

  function tally(network: string, guess: Guess, wait: number): Tally {
    const known = tallies.get(network);
    if (known && known.until > services.clock()) {
      known.failures[guess] = (known.failures[guess] ?? 0) + 1;
      known.total++;
      return known;
    }
    tallies.delete(network);
    if (tallies.size >= TALLIES_MAX) tallies.delete(tallies.keys().next().value as string);
    const started: Tally = { until: services.clock() + wait, failures: { [guess]: 1 }, total: 1 };
    tallies.set(network, started);
    return started;
  }

  app.decorateRequest('noteGuess', async function (this: FastifyRequest, guess, reply) {
    if (isNoGuess(this, guess)) return;
    const network = networkOf(addressOf(this));
    const [{ allowed, left, wait }] = await Promise.all([
      policy.take(network),
      // Count only requests with an API key. Otherwise a client that needs none could lock everybody who shares its address
      // out of the v1 API.
      guess === 'license_key' && this.apiKey !== null ? keyPolicy.take(network) : null,
    ]);
    if (!allowed) {
      reply.removeHeader('www-authenticate');
      throw tooManyRequests(reply, policy, wait);
    }
    const { failures, total } = tally(network, guess, wait);
    const about = { ip: network, failures, limit: perMinute };
    if (left === 0) {
      app.log.warn(
        { event: 'failure_limit', ...about },
        `${network} fails too often: further failures are answered 429 for the rest of its minute`,
      );
    } else if (total === loggedAt) {
      app.log.warn({ event: 'failures', ...about }, `${network} fails often: it may be guessing`);
    }
  });
  app.decorateRequest('refuseKeyGuesser', function (this: FastifyRequest, reply) {
    if (isNoGuess(this, 'license_key')) return;
    const wait = keyPolicy.refusedFor(networkOf(addressOf(this)));
    if (wait > 0) throw tooManyRequests(reply, keyPolicy, wait);
  });
}

/**
 * The console names records by their ids, which are not secret. An API key that may list licenses need not guess license
 * keys: shops ask whether a key exists before they create it.
 */
const isNoGuess = ({ apiKey, session, route }: FastifyRequest, guess: Guess): boolean =>
  session !== null ||
  (guess === 'license_key' &&
    route.config.endpoint !== 'licenses.activate' &&
    apiKey !== null &&
    mayCall(apiKey, 'licenses.list'));
