import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mayCall } from '../../domain/api-key.ts';
import { addressOf, networkOf } from '../client.ts';
import type { Guess } from '../errors.ts';
import type { Services } from '../services.ts';
import { createPolicy, tooManyRequests } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts a failure that may be a guess. @throws 429 if the address has failed too often */
    noteGuess(guess: Guess, reply: FastifyReply): Promise<void>;
  }
}

/** The failures of an address in its current minute, in this process. */
interface Tally {
  until: number;
  failures: Partial<Record<Guess, number>>;
  total: number;
}

/** Addresses whose failures are counted by kind, for the log. */
const TALLIES_MAX = 10_000;
/** An address is logged when it reaches this part of the limit, and at the limit. */
const LOGGED = 1 / 3;

/**
 * Counts failures by address: wrong credentials, and unknown license keys and tokens. An address that has failed too often
 * in a minute is refused for the rest of the minute, before its credentials are checked.
 * @returns a function that throws 429 for such an address
 */
export function limitFailures(
  app: FastifyInstance,
  services: Services,
  perMinute: number,
): (request: FastifyRequest, reply: FastifyReply) => void {
  if (perMinute === 0) {
    app.decorateRequest('noteGuess', async () => {});
    return () => {};
  }
  const policy = createPolicy(services, { name: 'failures', quota: perMinute, prefix: 'failures:' });
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
    const { allowed, left, wait } = await policy.take(network);
    if (!allowed) throw tooManyRequests(reply, policy, wait);
    const { failures, total } = tally(network, guess, wait);
    const about = { ip: network, failures, limit: perMinute };
    if (left === 0) {
      app.log.warn({ event: 'failure_limit', ...about }, `${network} is refused for the rest of its minute`);
    } else if (total === loggedAt) {
      app.log.warn({ event: 'failures', ...about }, `${network} fails often: it may be guessing`);
    }
  });
  return (request, reply) => {
    const wait = policy.refusedFor(networkOf(addressOf(request)));
    if (wait > 0) throw tooManyRequests(reply, policy, wait);
  };
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
