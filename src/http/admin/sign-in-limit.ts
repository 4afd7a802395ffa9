import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressOf, networkOf } from '../client.ts';
import { createPolicy, tooManyRequests } from '../rate-limit.ts';
import type { Services } from '../services.ts';

/** Attempts at one account, from anywhere, for each that one network may make. */
const NETWORKS = 3;

/** Counts attempts to show a password or a code, right ones too. */
export interface SignInLimit {
  /**
   * @param emailKey of the account, whether or not there is one
   * @throws 429 where its network or the account has had too many in this minute
   */
  count(request: FastifyRequest, reply: FastifyReply, emailKey: string): Promise<void>;
}

/** @param perMinute of one network; 0 for no limit */
export function createSignInLimit(services: Services, perMinute: number): SignInLimit {
  if (perMinute === 0) return { count: async () => {} };
  const name = 'sign-in';
  const networks = createPolicy(services, { name, perMinute, prefix: 'sign-in:' });
  const accounts = createPolicy(services, {
    name,
    perMinute: perMinute * NETWORKS,
    prefix: 'sign-in-as:',
  });
  const { read } = services.store;

  /** Whether the user has signed in from there before: others who try its passwords do not keep it out. */
  async function isKnown(emailKey: string, network: string): Promise<boolean> {
    const user = await read.users.findByEmail(emailKey);
    const sessions = user ? await read.sessions.ofUser(user.id) : [];
    return sessions.some(
      ({ pending, ipAddress }) => !pending && ipAddress !== null && networkOf(ipAddress) === network,
    );
  }

  return {
    async count(request, reply, emailKey) {
      const network = networkOf(addressOf(request));
      const ofNetwork = await networks.take(network);
      if (!ofNetwork.allowed) throw tooManyRequests(reply, networks, ofNetwork.wait);
      // Keyed, so that the table of counts tells nobody who was asked for.
      const ofAccount = await accounts.take(read.licenses.hashOf(`sign-in ${emailKey}`));
      if (!ofAccount.allowed && !(await isKnown(emailKey, network)))
        throw tooManyRequests(reply, accounts, ofAccount.wait);
    },
  };
}
