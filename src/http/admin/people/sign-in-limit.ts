import type { FastifyReply, FastifyRequest } from 'fastify';
import { HOUR_MS } from '../../../domain/datetime.ts';
import { addressOf, networkOf } from '../../client.ts';
import { createPolicy, tooManyRequests } from '../../limits/rate-limit.ts';
import { deviceOf, rememberDevice } from '../../people/cookies.ts';
import type { Services } from '../../services.ts';

/**
 * Attempts on one account in an hour, as a multiple of the attempts of one network in a minute: with the default of 10, an
 * account gets 40 an hour or 960 a day.
 */
const PER_HOUR = 4;

/** Counts attempts with a password or a code, including successful ones. */
export interface SignInLimit {
  /**
   * Counts an attempt of the network, and of the account. An account has one count for each of its sessions, one for each
   * browser in which it has signed in before, and one for all other browsers.
   * @param emailKey identifies the account, which need not exist
   * @throws 429 after too many attempts of the network in a minute, or of the account in an hour; StoreUnavailable if the
   *   attempt cannot be counted
   */
  count(request: FastifyRequest, reply: FastifyReply, emailKey: string): Promise<void>;
  /** Counts later attempts of this browser separately, because the account has signed in with it. */
  remember(request: FastifyRequest, reply: FastifyReply, emailKey: string): void;
}

export function createSignInLimit(services: Services): SignInLimit {
  const perMinute = services.settings.signInLimit;
  // Counts and cookies contain this tag instead of the account.
  const { signInTag } = services.store.read.users;
  const remember: SignInLimit['remember'] = (request, reply, emailKey) =>
    rememberDevice(request, reply, signInTag, emailKey);
  if (perMinute === 0) return { count: async () => {}, remember };
  // Strict: strangers must not be able to reset the count of an account, nor to try more while the database is slow.
  const common = { name: 'sign-in', strict: true } as const;
  const networks = createPolicy(services, { ...common, quota: perMinute, prefix: 'sign-in:' });
  const accounts = createPolicy(services, {
    ...{ ...common, quota: perMinute * PER_HOUR, lasts: HOUR_MS },
    prefix: 'sign-in-as:',
  });

  /** Returns which count an attempt belongs to. Strangers cannot use up the attempts of the account's own browsers. */
  function counterOf(request: FastifyRequest, emailKey: string): string {
    if (request.session) return `session ${request.session.id}`;
    const device = deviceOf(request, signInTag, emailKey);
    return device === null ? '' : `device ${device}`;
  }

  return {
    async count(request, reply, emailKey) {
      const ofNetwork = await networks.take(networkOf(addressOf(request)));
      if (!ofNetwork.allowed) throw tooManyRequests(reply, networks, ofNetwork.wait);
      const ofAccount = await accounts.take(signInTag(`sign-in ${emailKey} ${counterOf(request, emailKey)}`));
      if (!ofAccount.allowed) throw tooManyRequests(reply, accounts, ofAccount.wait);
    },
    remember,
  };
}
