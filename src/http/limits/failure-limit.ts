import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mayCall } from '../../domain/api-key.ts';
import { addressOf, networkOf } from '../client.ts';
import type { Guess } from '../errors.ts';
import type { Services } from '../services.ts';
import { createPolicy, tooManyRequests } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts a failure that may be a guess. @throws 429 where its address has failed too often */
    noteGuess(guess: Guess, reply: FastifyReply): Promise<void>;
  }
}

/** What an address has failed at in its minute, as far as this process has seen. */
interface Tally {
  until: number;
  failures: Partial<Record<Guess, number>>;
  total: number;
}

/** Addresses whose failures are told apart by kind, for the log. */
const TALLIES_MAX = 10_000;
/** The log is told of an address at this part of the limit, and at the limit. */
const NOTICED = 1 / 3;

/**
 * Counts failures by address: wrong credentials, and license keys and tokens that there are not. An address that has
 * failed too often in a minute is refused until it is over, before its credentials or any record are looked at.
 * @returns what refuses it, by throwing 429
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
  const noticed = Math.max(1, Math.floor(perMinute * NOTICED));

  function tally(network: string, guess: Guess, wait: number): Tally {
    const known = tallies.get(network);
    if (known && known.until > services.clock()) {
      known.failures[guess] = (known.failures[guess] ?? 0) + 1;
      known.total++;
      return known;
    }
    tallies.delete(network);
    if (tallies.size >= TALLIES_MAX) tallies.delete(tallies.keys().next().value as string);
    const begun: Tally = { until: services.clock() + wait, failures: { [guess]: 1 }, total: 1 };
    tallies.set(network, begun);
    return begun;
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
    } else if (total === noticed) {
      app.log.warn({ event: 'failures', ...about }, `${network} fails often: it may be guessing`);
    }
  });
  return (request, reply) => {
    const wait = policy.refusedFor(networkOf(addressOf(request)));
    if (wait > 0) throw tooManyRequests(reply, policy, wait);
  };
}

/**
 * The console names records by their ids, which are no secrets. An API key that may list licenses has no need to guess
 * their keys: shops ask whether there is one before they make it.
 */
const isNoGuess = ({ apiKey, session, route }: FastifyRequest, guess: Guess): boolean =>
  session !== null ||
  (guess === 'license_key' &&
    route.config.endpoint !== 'licenses.activate' &&
    apiKey !== null &&
    mayCall(apiKey, 'licenses.list'));
