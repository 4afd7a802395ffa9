import type { FastifyRequest } from 'fastify';
import { rfc3339 } from '../../domain/datetime.ts';
import type { EndedAs } from '../../domain/seats.ts';
import { paramsOf } from '../../words/problems.ts';
import { PROBLEM_TYPE } from '../docs/components.ts';
import type { Answer } from '../errors.ts';
import { type AnyRefusal, worded } from '../refusals.ts';

/** Errors of the client API. The codes are stable; documentation.ts says what a program should do about each. */
export const CODES = {
  invalid_request: [422, 'The request is invalid'],
  license_not_found: [404, 'There is no such license'],
  license_expired: [403, 'The license has expired'],
  license_disabled: [403, 'The license is disabled'],
  seat_limit_reached: [409, 'All seats of the license are taken'],
  not_covered: [403, 'The license is for another product'],
  fingerprint_mismatch: [403, 'The activation is for another device'],
  seat_not_borrowable: [403, 'The license lends no seats'],
  receipt_unknown: [404, 'The receipt does not belong to a device that was activated here'],
  receipt_outdated: [409, 'The device was activated again after the receipt'],
  activation_ended: [410, 'The activation has ended'],
  unauthenticated: [401, 'The activation token is missing or unknown'],
  idempotency_key_reused: [422, 'The idempotency key was used with another request'],
  payload_too_large: [413, 'The body is too large'],
  rate_limited: [429, 'There were too many requests'],
  unavailable: [503, 'The service is not available'],
  download_denied: [403, 'The file may not be downloaded'],
  download_not_found: [404, 'There is no such download'],
  precondition_failed: [412, 'The file has changed'],
  range_not_satisfiable: [416, 'The file has no such part'],
  not_found: [404, 'There is no such operation'],
  server_error: [500, 'The service failed'],
} as const;
export type ClientCode = keyof typeof CODES;
const isClientCode = (code: string): code is ClientCode => Object.hasOwn(CODES, code);

/** Origin of addresses in the examples of the API document. */
const EXAMPLE_ORIGIN = 'https://licenses.example.com';

const ENDINGS: Record<EndedAs | 'license_deleted', { reason: string; detail: string }> = {
  deactivated: { reason: 'deactivated', detail: 'The activation was deactivated.' },
  reclaimed: { reason: 'reclaimed', detail: 'The seat was given to another device.' },
  taken_over: { reason: 'reclaimed', detail: 'Another device has taken over the seat.' },
  lapsed: { reason: 'lapsed', detail: 'The seat has lapsed, and none is free.' },
  license_deleted: { reason: 'license_deleted', detail: 'The license was deleted.' },
};

/** Refusals whose message is not sent, because it repeats a license key or is about API keys. */
const WITHOUT_DETAIL: AnyRefusal['code'][] = ['record_not_found', 'credentials_missing'];

/** Answers a refusal with problem details (RFC 9457). */
export function answerOf(refusal: AnyRefusal, request?: FastifyRequest): Answer {
  const [code, more = {}] = codeOf(refusal);
  const [status, title] = CODES[code];
  const { message, fields } = worded(refusal);
  const body = {
    // The documentation page of the API has these anchors (http/docs/page.ts).
    type: `${request?.publicOrigin() ?? EXAMPLE_ORIGIN}/docs/#client-error-${code}`,
    title,
    status,
    code,
    detail: WITHOUT_DETAIL.includes(refusal.code) ? `${title}.` : message,
    ...((fields || code === 'invalid_request') && { params: paramsOf(fields ?? {}) }),
    ...more,
  };
  const headers = status === 401 && { headers: { 'www-authenticate': 'Bearer realm="Latchkey"' } };
  return { status, body, type: PROBLEM_TYPE, ...headers };
}

function codeOf(refusal: AnyRefusal): [ClientCode, object?] {
  switch (refusal.code) {
    case 'record_not_found':
      return [refusal.args.kind === 'activation' ? 'unauthenticated' : 'license_not_found'];
    case 'license_expired':
      return ['license_expired', { expired_at: rfc3339(refusal.args.at) }];
    case 'activation_limit_reached': {
      const { taken } = refusal.args;
      const holders = taken?.holders.map(({ label, lastSeenAt }) => ({
        label,
        last_seen_at: rfc3339(lastSeenAt),
      }));
      const freesAt = taken?.freesAt ?? null;
      return [
        'seat_limit_reached',
        {
          holders: holders ?? [],
          frees_at: freesAt && rfc3339(freesAt),
          takeover_allowed: taken?.takeoverAllowed ?? false,
        },
      ];
    }
    case 'software_not_covered':
      return ['not_covered'];
    case 'activation_deactivated':
      return ['activation_ended', ENDINGS[refusal.args.as]];
    case 'credentials_missing':
      return ['unauthenticated'];
    case 'too_many_requests':
      return ['rate_limited'];
    case 'no_route':
      return ['not_found'];
    default:
      return [isClientCode(refusal.code) ? refusal.code : codeOfStatus(worded(refusal).status)];
  }
}

function codeOfStatus(status: number): ClientCode {
  if (status === 413 || status === 431) return 'payload_too_large';
  if (status === 503) return 'unavailable';
  return status < 500 ? 'invalid_request' : 'server_error';
}
