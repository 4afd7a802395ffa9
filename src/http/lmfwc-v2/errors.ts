import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../../domain/api-key.ts';
import type { Answer } from '../errors.ts';
import { queryOf } from '../parameters.ts';
import { type AnyRefusal, worded } from '../refusals.ts';
import { versionOf } from './request.ts';

/** The error of anything that is wrong with a record or a value. */
const DATA_ERROR = 'lmfwc_rest_data_error';

/** The body of an error, as WordPress writes it. */
export const failure = (message: string, code = DATA_ERROR, status = 404) => ({
  code,
  message,
  data: { status },
});

const EXPIRED = 'lmfwc_rest_license_expired';
/** Calls for which version 3 answers a refusal of the license or the token as a success whose data are errors. */
const REFUSED_INSIDE: readonly (Endpoint | undefined)[] = ['licenses.activate', 'licenses.deactivate'];

export function answerOf(refusal: AnyRefusal, request?: FastifyRequest): Answer {
  const { status, code, message } = said(refusal, request);
  const isOfLicense = (code === DATA_ERROR || code === EXPIRED) && refusal.code !== 'invalid';
  if (isOfLicense && versionOf(request) === 3 && REFUSED_INSIDE.includes(endpointOf(request))) {
    const data = { errors: { [code]: [message] }, error_data: { [code]: { status: 404 } } };
    return { status: 200, body: { success: true, data } };
  }
  return { status, body: failure(message, code, status) };
}

const endpointOf = (request: FastifyRequest | undefined) => request?.route.config.endpoint;

function said(refusal: AnyRefusal, request: FastifyRequest | undefined) {
  const { status, code, message } = worded(refusal);
  switch (code) {
    case 'authentication_error':
      return { status, code: 'lmfwc_rest_authentication_error', message };
    case 'permission_denied':
      return { status, code: `lmfwc_rest_cannot_${verbOf(request)}`, message };
    case 'license_expired':
      return { status, code: EXPIRED, message: textOf(refusal, request) ?? message };
    case 'data_error':
    case 'rest_data_error':
    case 'license_disabled':
    case 'license_activation_limit_reached':
      return { status: 404, code: DATA_ERROR, message: textOf(refusal, request) ?? message };
    default:
      return { status, code, message };
  }
}

/** Returns the verb for what the API key may not do. */
function verbOf(request: FastifyRequest | undefined): string {
  switch (endpointOf(request)?.split('.')[1]) {
    case 'create':
    case 'generate':
      return 'create';
    case 'update':
    case 'activate':
    case 'deactivate':
      return 'edit';
    case 'delete':
      return 'delete';
    default:
      return 'view';
  }
}

/** Returns the text that clients match; null to use the words that all dialects share. */
function textOf({ code, args }: AnyRefusal, request: FastifyRequest | undefined): string | null {
  const { license_key: key } = (request?.params ?? {}) as { license_key?: string };
  const license = `License Key: ${key}`;
  const { token } = (request && versionOf(request) === 3 ? queryOf(request) : {}) as { token?: string };
  const notValid = `Activation Token: ${token} could not be found or is deactivated.`;
  switch (code) {
    case 'record_not_found':
      if (args.kind === 'generator') return `Generator with ID: ${args.named} could not be found.`;
      if (args.kind === 'license') return `License Key: ${args.named} could not be found.`;
      return endpointOf(request) === 'licenses.activate'
        ? `Activation Token: ${token} could not be found.`
        : notValid;
    case 'download_not_found':
      return `${license} has no release to download.`;
    case 'license_key_exists':
      return 'This license key already exists.';
    case 'license_expired':
      return `The license Key expired on ${args.at} (UTC).`;
    case 'license_disabled':
      return `${license} is disabled.`;
    case 'activation_limit_reached':
      return `${license} reached maximum activation count.`;
    case 'activation_already_deactivated':
      return token ? notValid : `${license} has not been activated yet.`;
    case 'activation_already_active':
      return `Activation Token: ${token} is already activated.`;
    case 'activation_deactivated':
    case 'activation_of_another_license':
      return notValid;
    default:
      return null;
  }
}
