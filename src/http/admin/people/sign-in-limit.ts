import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressOf, networkOf } from '../../client.ts';
import { createPolicy, tooManyRequests } from '../../limits/rate-limit.ts';
import { deviceOf, rememberDevice } from '../../people/device-cookie.ts';
import type { Services } from '../../services.ts';

/** Attempts at one account in an hour, for each that one network may make in a minute: 960 a day with the usual 10. */
const PER_HOUR = 4;
const HOUR_MS = 3_600_000;

/** Counts attempts to show a password or a code, right ones too. */
export interface SignInLimit {
  /**
   * @param emailKey of the account, whether or not there is one
   * @throws 429 where its network has had too many in this minute, or the account in this hour: by this session, by this
   *   browser where the account has signed in with it before, or else by all the others together
   */
  count(request: FastifyRequest, reply: FastifyReply, emailKey: string): Promise<void>;
  /** Has the attempts of this browser be counted apart from now on: the account has signed in with it. */
  remember(request: FastifyRequest, reply: FastifyReply, emailKey: string): void;
}

/** @param perMinute of one network; 0 for no limit */
export function createSignInLimit(services: Services, perMinute: number): SignInLimit {
  // Counts and cookies name an account by this tag alone.
  const { signInTag } = services.store.read.users;
  const remember: SignInLimit['remember'] = (request, reply, emailKey) =>
    rememberDevice(request, reply, signInTag, emailKey);
  if (perMinute === 0) return { count: async () => {}, remember };
  const name = 'sign-in';
  const networks = createPolicy(services, { name, quota: perMinute, prefix: 'sign-in:' });
  const accounts = createPolicy(services, {
    ...{ name, quota: perMinute * PER_HOUR, lasts: HOUR_MS },
    prefix: 'sign-in-as:',
  });

  /** Who tries: others at the same account do not take its attempts away. */
  function triedBy(request: FastifyRequest, emailKey: string): string {
    if (request.session) return `session ${request.session.id}`;
    const device = deviceOf(request, signInTag, emailKey);
    return device === null ? '' : `device ${device}`;
  }

  return {
    async count(request, reply, emailKey) {
      const ofNetwork = await networks.take(networkOf(addressOf(request)));
      if (!ofNetwork.allowed) throw tooManyRequests(reply, networks, ofNetwork.wait);
      const ofAccount = await accounts.take(signInTag(`sign-in ${emailKey} ${triedBy(request, emailKey)}`));
      if (!ofAccount.allowed) throw tooManyRequests(reply, accounts, ofAccount.wait);
    },
    remember,
  };
}
