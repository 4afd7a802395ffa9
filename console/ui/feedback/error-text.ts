import { t } from 'i18next';
import { ApiError, fieldErrors, NetworkError, PASSWORD_NEEDED } from '../../client/errors.ts';
import { reasonText } from '../../client/reasons.ts';

/** Describes an error in a sentence or two for the user. */
export function errorText(error: unknown): string {
  if (error instanceof NetworkError) return t('error.network');
  // A file that was changed after it was chosen.
  if (error instanceof DOMException && error.name === 'NotReadableError') return t('error.file');
  if (!(error instanceof ApiError)) return t('error.unknown');
  if (error.status === 429 && error.retryAfter !== null)
    return t('error.tooMany', { count: error.retryAfter });
  if (error.code === PASSWORD_NEEDED) return t('error.passwordNeeded');
  if (error.status === 401) return t('error.signedOut');
  if (error.status === 503 && error.requestId !== null) return t('error.busy');
  // Our server sends a request ID with every answer; a proxy sends none.
  if (error.status >= 500)
    return error.requestId === null ? t('error.proxy', { status: error.status }) : t('error.server');
  if (error.requestId === null && error.reason === null)
    return t('error.proxyRefused', { status: error.status });
  // The message of a 422 only repeats the field errors.
  const fields = Object.entries(fieldErrors(error)).map(([name, text]) =>
    name === 'file' ? text : `${name}: ${text}`,
  );
  const message = error.status === 422 && fields.length > 0 ? [] : [messageOf(error)];
  return [...message, ...fields].join(' ');
}

/** The message of an error, translated if the console knows the reason's code. */
export const messageOf = ({ reason, message }: ApiError): string => (reason && reasonText(reason)) ?? message;

/** The title of an error; none for a refusal, which says all by itself. */
export const titleOf = (error: unknown): string | undefined =>
  isRefusal(error) ? undefined : t('error.title');

/** The request ID of an error, by which the server log can be searched; null for a refusal, or if it has none. */
export const requestIdOf = (error: unknown): string | null =>
  error instanceof ApiError && !isRefusal(error) ? error.requestId : null;

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.requestId !== null;
