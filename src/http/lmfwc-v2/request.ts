import type { FastifyRequest } from 'fastify';
import { activateShape } from '../../domain/activation.ts';
import { createInput } from '../input.ts';

/**
 * Returns the version of License Manager for WooCommerce that the answer imitates. In version 2, a license only counts its
 * activations; in version 3, activations have tokens.
 */
export const versionOf = (request: FastifyRequest | undefined): 2 | 3 =>
  request?.apiKey?.lmfwcVersion === 2 ? 2 : 3;

/** Returns the activation token in the request, or null. Version 2 has no tokens, and ignores the parameter. */
export const readToken = (request: FastifyRequest): string | null =>
  versionOf(request) === 2 ? null : createInput({ token: activateShape.token }, request).token;
