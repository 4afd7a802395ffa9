import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { SignedList } from '../../app/leases/revocations.ts';
import { share } from '../limits/unsent.ts';
import type { Services } from '../services.ts';
import { OPERATIONS } from './documentation.ts';

/** Seconds for which programs and proxies may cache the list. */
const MAX_AGE = 300;

/**
 * The revocation list, which is the same for everybody. Without a base URL its `iss` is fixed: an address from the request
 * would let the sender of any Host header have a list of up to 4 MiB signed.
 */
export function revocationRoute(api: FastifyInstance, { revocations, settings }: Services): void {
  /** The latest list, and its bytes, which all answers share. */
  let latest: { list: SignedList; bytes: Buffer } | undefined;
  const list = {
    config: { public: true },
    url: '/revocations',
    async handler(request: FastifyRequest, reply: FastifyReply) {
      const current = await revocations.list(settings.baseUrl ?? 'latchkey');
      if (latest?.list !== current) latest = { list: current, bytes: share(Buffer.from(current.text)) };
      const { bytes } = latest;
      const about = {
        etag: `"${current.etag}"`,
        'cache-control': `public, max-age=${MAX_AGE}`,
        // Whatever the request: a shared cache sends this answer to pages of other origins, too.
        'access-control-allow-origin': '*',
      };
      if (fresh({ 'if-none-match': request.headers['if-none-match'] }, about))
        return reply.code(304).headers(about).send();
      reply.headers({ ...about, 'content-type': 'application/jwt', 'content-length': bytes.length });
      return reply.send(request.method === 'HEAD' ? undefined : bytes);
    },
  };
  // The framework's own HEAD route would send the size of an empty body.
  api.route({ ...list, method: 'HEAD', schema: { hide: true } });
  api.route({ ...list, method: 'GET', schema: OPERATIONS.revocations, exposeHeadRoute: false });
}
