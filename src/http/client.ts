import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { isStorableText } from '../domain/fields.ts';

/** Who sent a request, as records keep it. */
export const clientOf = (request: FastifyRequest) => ({
  ipAddress: addressOf(request),
  userAgent: userAgentOf(request.headers['user-agent']),
});

/**
 * The address that a request comes from. Where a trusted proxy forwards what is no address, it is the proxy's own: any
 * text could stand there, of any length.
 */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const sent = asAddress(withoutPort(ip));
  return isIP(sent) === 0 ? asAddress(socket.remoteAddress ?? '') : sent;
}

/** Some proxies add the port of the client: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (ip: string): string =>
  /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(ip)?.[1] ?? /^\[([^\]]+)\](:\d+)?$/.exec(ip)?.[1] ?? ip;

/**
 * An IPv4 client on an IPv6 socket is still an IPv4 client. What is no name of an interface behind a "%" may be text of any
 * length.
 */
const asAddress = (ip: string): string =>
  isIPv4(ip) ? ip : ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%(?![\w.-]{1,15}$).*/s, '');

/** Returns the network that limits count a client by: an IPv4 address, or the /64 of an IPv6 address, which one customer has. */
export function networkOf(address: string): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const { parts } = parsed as ipaddr.IPv6;
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

const NEAR = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal', 'carrierGradeNat']);

/** Returns whether an address is of this machine or of a private network. */
export const isNear = (address: string): boolean =>
  ipaddr.isValid(address) && NEAR.has(ipaddr.process(address).range());

const USER_AGENT_MAX = 512;

/** The header as sent, cut; null when there is none. */
function userAgentOf(header: string | undefined): string | null {
  if (!header) return null;
  // The parser gives each byte as one character; clients send UTF-8.
  const sent = Buffer.from(header, 'latin1').toString('utf8');
  const cut = [...sent].slice(0, USER_AGENT_MAX).join('');
  return isStorableText(cut) ? cut : null;
}
