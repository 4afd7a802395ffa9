import { randomBytes } from 'node:crypto';
import type { Request } from '../run/connection.ts';
import { tokenOf } from '../run/dataset.ts';
import { scenariosOf } from '../run/scenarios.ts';

export const ASKED = ['validate', 'renew', 'update', 'activate'] as const;

/**
 * The number of licenses that renew leases. It is small enough that all of them have renewed before the measurement
 * begins: a first renewal writes.
 */
const RENEWING = 500;

/** Returns functions that make requests, by kind. They choose licenses at random. */
export function requestsOf(licenses: number): Record<(typeof ASKED)[number], () => Request> {
  const { validate, software, activate } = scenariosOf(licenses);
  const renewing = Math.min(licenses, RENEWING);
  return {
    validate: () => validate.next() as Request,
    renew: () => renew(tokenOf(1 + Math.floor(Math.random() * renewing), 0)),
    update: () => software.next() as Request,
    activate: () => activate.next() as Request,
  };
}

/** Returns a renewal as the SDK sends it. Each has a different nonce, so the service signs each answer. */
function renew(token: string): Request {
  const body = JSON.stringify({ fingerprint: token, nonce: randomBytes(16).toString('base64url') });
  return (
    `POST /client/v1/validate HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}
