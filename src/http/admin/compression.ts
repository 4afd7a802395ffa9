import { gzip } from 'node:zlib';
import type { onSendHookHandler } from 'fastify';

/** Minimum length in characters: a shorter answer fits into one packet anyway. */
const WORTH_IT = 1000;

/**
 * Compresses long JSON answers for clients that accept gzip; streams stay as they are. Compression reveals nothing to other
 * sites (BREACH): the session's cookie is SameSite=Strict, so their pages cannot send a signed-in request.
 */
export const compressJson: onSendHookHandler<unknown> = ({ headers }, reply, payload, done) => {
  if (typeof payload !== 'string' || payload.length < WORTH_IT) return done(null, payload);
  reply.header('vary', 'accept-encoding');
  if (!/\bgzip\b(?!\s*;\s*q=0)/.test(String(headers['accept-encoding']))) return done(null, payload);
  reply.header('content-encoding', 'gzip');
  gzip(payload, done);
};
