import type { FastifyRequest } from 'fastify';
import { isStorableText } from '../domain/fields.ts';

/** Who sent a request, as records keep it. */
export const clientOf = (request: FastifyRequest) => ({
  // An IPv4 client on an IPv6 socket is still an IPv4 client.
  ipAddress: request.ip.replace(/^::ffff:(?=\d+\.)/i, ''),
  userAgent: userAgentOf(request.headers['user-agent']),
});

const USER_AGENT_MAX = 512;

/** The header as sent, cut; null when there is none. */
function userAgentOf(header: string | undefined): string | null {
  if (!header) return null;
  // The parser gives each byte as one character; clients send UTF-8.
  const sent = Buffer.from(header, 'latin1').toString('utf8');
  const cut = [...sent].slice(0, USER_AGENT_MAX).join('');
  return isStorableText(cut) ? cut : null;
}
