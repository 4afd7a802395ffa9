import { type Reason, reasonText } from './reasons.ts';

/** The error code of an action that requires the password. */
export const PASSWORD_NEEDED = 'password_needed';

export interface ErrorBody {
  code?: string;
  message?: string;
  data?: { reason?: Reason; reasons?: Record<string, Reason> };
}

/** An error response. */
export class ApiError extends Error {
  /** HTTP status. */
  readonly status: number;
  readonly code: string;
  /** Null if the reasons are by field, or the response is not from our server. */
  readonly reason: Reason | null;
  /** Reasons by the wire name of the field. */
  readonly reasons: Readonly<Record<string, Reason>>;
  readonly requestId: string | null;
  /** Seconds of the `retry-after` header. */
  readonly retryAfter: number | null;

  constructor(status: number, body: ErrorBody, headers: Headers = new Headers()) {
    super(body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = body.code ?? 'unknown';
    this.reason = body.data?.reason ?? null;
    this.reasons = body.data?.reasons ?? {};
    this.requestId = headers.get('x-request-id');
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds : null;
  }
}

/** Whether the record has changed since the version that the request named. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.reason?.code === 'record_changed';

/** Whether the record does not exist, or no longer. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** The server could not be reached. */
export class NetworkError extends Error {
  constructor(cause: unknown) {
    super('The server could not be reached.', { cause });
  }
}

/**
 * Returns the error for a response.
 * @param body the response text. If it does not come from our server but from a proxy, the error has only the status
 */
export function errorOf(status: number, body: string, headers: Headers): ApiError {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) return new ApiError(status, parsed, headers);
  } catch {
    // The body is not JSON.
  }
  return new ApiError(status, {}, headers);
}

/** Returns the error texts by wire name, which is also the name of the form field. */
export const fieldErrors = (error: unknown): Record<string, string> =>
  error instanceof ApiError
    ? Object.fromEntries(
        Object.entries(error.reasons).map(([name, reason]) => [name, reasonText(reason) ?? reason.code]),
      )
    : {};

/** Whether every error belongs to a field of the form. @param fields the form values by name */
export function isOfFields(error: unknown, fields: object): boolean {
  const wrong = Object.keys(fieldErrors(error));
  return wrong.length > 0 && wrong.every((name) => name in fields);
}
