import { type Reason, reasonText } from './reasons.ts';

/** The code of an answer that wants the password to be given first. */
export const PASSWORD_NEEDED = 'password_needed';

export interface ErrorBody {
  code?: string;
  message?: string;
  data?: { reason?: Reason; reasons?: Record<string, Reason> };
}

/** An answer that is an error. */
export class ApiError extends Error {
  /** HTTP status. */
  readonly status: number;
  readonly code: string;
  /** Why; null where that is told by field, or the answer is not the server's. */
  readonly reason: Reason | null;
  /** What is wrong, by the wire name of the field. */
  readonly reasons: Readonly<Record<string, Reason>>;
  readonly requestId: string | null;
  /** Seconds to wait before trying again, where the server says so. */
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

/** No answer came: the network is away, or the server is. */
export class NetworkError extends Error {
  constructor(cause: unknown) {
    super('The server could not be reached.', { cause });
  }
}

/** @param body whatever came; what is not ours, from a proxy in between, gives an error of the status alone */
export function errorOf(status: number, body: string, headers: Headers): ApiError {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) return new ApiError(status, parsed, headers);
  } catch {
    // Not JSON.
  }
  return new ApiError(status, {}, headers);
}

/** What is wrong with which field of a form, by the names that the form has for them, which are those of the wire. */
export const fieldErrors = (error: unknown): Record<string, string> =>
  error instanceof ApiError
    ? Object.fromEntries(
        Object.entries(error.reasons).map(([name, reason]) => [name, reasonText(reason) ?? reason.code]),
      )
    : {};

/** Whether all that is wrong is said beside a field of the form. @param fields the values of the form, by name */
export function isOfFields(error: unknown, fields: object): boolean {
  const wrong = Object.keys(fieldErrors(error));
  return wrong.length > 0 && wrong.every((name) => name in fields);
}
