import type { FastifyReply, FastifyRequest } from 'fastify';
import { HOUR_MS } from '../../../domain/datetime.ts';
import { addressOf, networkOf } from '../../client-address.ts';
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
   * browser in which it has signed in before, and one for all other browsers. Signing in with a browser of the account does
   * not count for the network, whose attempts others may have used up.
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
    ...common,
    quota: perMinute * PER_HOUR,
    lasts: HOUR_MS,
    prefix: 'sign-in-as:',
  });

  return {
    async count(request, reply, emailKey) {
      const { session } = request;
      const device = session ? null : deviceOf(request, signInTag, emailKey);
      if (device === null) {
        const ofNetwork = await networks.take(networkOf(addressOf(request)));
        if (!ofNetwork.allowed) throw tooManyRequests(reply, networks, ofNetwork.wait);
      }
      const counter = session ? `session ${session.id}` : device === null ? '' : `device ${device}`;
      const ofAccount = await accounts.take(signInTag(`sign-in ${emailKey} ${counter}`));
      if (!ofAccount.allowed) throw tooManyRequests(reply, accounts, ofAccount.wait);
    },
    remember,
  };
}
