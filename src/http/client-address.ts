import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { isStorableText } from '../domain/fields.ts';

/** Returns what records store about the client. */
export const clientOf = (request: FastifyRequest) => ({
  ipAddress: addressOf(request),
  userAgent: userAgentOf(request.headers['user-agent']),
});

/**
 * Returns the address of the client. If a trusted proxy forwards a text that is not an address, returns the proxy's address.
 */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  if (isIPv4(ip)) return ip;
  const sent = asAddress(withoutPort(ip));
  return isIP(sent) === 0 ? asAddress(socket.remoteAddress ?? '') : sent;
}

/** Some proxies add the port of the client: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (ip: string): string =>
  /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(ip)?.[1] ?? /^\[([^\]]+)\](:\d+)?$/.exec(ip)?.[1] ?? ip;

/** Converts an IPv4 address of an IPv6 socket, and removes a zone (after "%") that is not the name of an interface. */
const asAddress = (ip: string): string =>
  isIPv4(ip) ? ip : ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%(?![\w.-]{1,15}$).*/s, '');

/**
 * Returns the network that limits count a client by: an IPv4 address, or the /64 of an IPv6 address, which belongs to one
 * customer.
 */
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

/** Whether an address belongs to this machine or a private network. */
export const isNear = (address: string): boolean =>
  ipaddr.isValid(address) && NEAR.has(ipaddr.process(address).range());

const USER_AGENT_MAX = 512;

/** Returns the header, shortened; null if it is missing or cannot be stored. */
function userAgentOf(header: string | undefined): string | null {
  if (!header) return null;
  // The HTTP parser decodes Latin-1, but clients send UTF-8.
  const sent = Buffer.from(header, 'latin1').toString('utf8');
  const cut = [...sent].slice(0, USER_AGENT_MAX).join('');
  return isStorableText(cut) ? cut : null;
}
