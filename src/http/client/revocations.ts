import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { SignedList } from '../../app/leases/revocations.ts';
import { share } from '../limits/unsent.ts';
import type { Services } from '../services.ts';
import { OPERATIONS } from './documentation.ts';

/** Seconds for which programs and proxies may cache the list. */
const MAX_AGE = 300;
/** Maximum number of earlier lists that answers still send. A new list of up to 4 MiB may come every few seconds. */
const EARLIER_MAX = 16;

/**
 * The revocation list, which is the same for everybody. Without a base URL its `iss` is fixed: an address from the request
 * would let the sender of any Host header have a list of up to 4 MiB signed.
 */
export function revocationRoute(api: FastifyInstance, { revocations, settings }: Services): void {
  /** The latest list, its bytes, which all answers share, and the answers that send them. */
  let latest: { list: SignedList; bytes: Buffer; answers: Set<ServerResponse> } | undefined;
  /** The answers that send each earlier list, the earliest first. */
  let earlier: Set<ServerResponse>[] = [];
  const list = {
    config: { public: true },
    url: '/revocations',
    async handler(request: FastifyRequest, reply: FastifyReply) {
      const current = await revocations.list(settings.baseUrl ?? 'latchkey');
      if (latest?.list !== current) {
        earlier = [...earlier, latest?.answers ?? new Set()].filter(({ size }) => size > 0);
        if (earlier.length > EARLIER_MAX) for (const answer of earlier.shift() ?? []) answer.destroy();
        latest = { list: current, bytes: share(Buffer.from(current.text)), answers: new Set() };
      }
      const { bytes, answers } = latest;
      const about = {
        etag: `"${current.etag}"`,
        'cache-control': `public, max-age=${MAX_AGE}`,
        // Whatever the request: a shared cache sends this answer to pages of other origins, too.
        'access-control-allow-origin': '*',
      };
      if (fresh({ 'if-none-match': request.headers['if-none-match'] }, about))
        return reply.code(304).headers(about).send();
      reply.headers({ ...about, 'content-type': 'application/jwt', 'content-length': bytes.length });
      if (request.method === 'HEAD') return reply.send();
      if (!reply.raw.closed) {
        answers.add(reply.raw);
        reply.raw.once('close', () => answers.delete(reply.raw));
      }
      return reply.send(bytes);
    },
  };
  // The framework's own HEAD route would send the size of an empty body.
  api.route({ ...list, method: 'HEAD', schema: { hide: true } });
  api.route({ ...list, method: 'GET', schema: OPERATIONS.revocations, exposeHeadRoute: false });
}
