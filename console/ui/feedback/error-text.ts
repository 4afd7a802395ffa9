import type { TFunction } from 'i18next';
import { ApiError, NetworkError, PASSWORD_NEEDED } from '../../client/errors.ts';
import { serverText } from '../../client/server-text.ts';

/** What went wrong, in a sentence or two for the reader. */
export function errorText(error: unknown, t: TFunction<'common'>): string {
  if (error instanceof NetworkError) return t('error.network');
  if (!(error instanceof ApiError)) return t('error.unknown');
  if (error.status === 429 && error.retryAfter !== null)
    return t('error.tooMany', { count: error.retryAfter });
  if (error.code === PASSWORD_NEEDED) return t('error.passwordNeeded');
  if (error.status === 403) return t('error.forbidden');
  if (error.status === 503) return t('error.busy');
  if (error.status >= 500) return t('error.server');
  const fields = Object.entries(error.params).map(([name, reason]) => fieldText(name, serverText(reason)));
  // The message of 422 is nothing but what is wrong with the fields.
  const message = error.status === 422 && fields.length > 0 ? [] : [serverText(error.message)];
  return [...message, ...fields].join(' ');
}

/** The file of a form is told of as what it is; its reasons are sentences in other languages. */
function fieldText(name: string, reason: string): string {
  if (name !== 'file') return `${name}: ${reason}`;
  return /^[a-z]/.test(reason) ? `The file ${reason}` : reason;
}

/** The id by which the server's log knows the request, for whoever asks for help. */
export const requestIdOf = (error: unknown): string | null =>
  error instanceof ApiError ? error.requestId : null;
