import assert from 'node:assert/strict';
import type { FastifyBaseLogger } from 'fastify';

/** A log that fails the test on a warning. */
export const silent = {
  info() {},
  warn: (about: { err: Error }) => assert.fail(about.err),
} as unknown as FastifyBaseLogger;
