import type { FastifyRequest } from 'fastify';
import { activateShape } from '../../domain/activation.ts';
import { createInput } from '../input.ts';

/**
 * The version of License Manager for WooCommerce in whose shapes the request is answered: in 2 a license only counts its
 * activations, in 3 they have tokens.
 */
export const versionOf = (request: FastifyRequest | undefined): 2 | 3 =>
  request?.apiKey?.lmfwcVersion === 2 ? 2 : 3;

/** Reads the activation token that the request names. Version 2 knows none, and ignores the parameter. */
export const readToken = (request: FastifyRequest): string | null =>
  versionOf(request) === 2 ? null : createInput({ token: activateShape.token }, request).token;
