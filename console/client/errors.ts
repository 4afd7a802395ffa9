import { serverText } from './server-text.ts';

/** The code of an answer that wants the password to be given first. */
export const PASSWORD_NEEDED = 'password_needed';

/** An answer that is an error. */
export class ApiError extends Error {
  /** HTTP status. */
  readonly status: number;
  readonly code: string;
  /** What is wrong, by the wire name of the field. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string | null;
  /** Seconds to wait before trying again, where the server says so. */
  readonly retryAfter: number | null;

  constructor(
    status: number,
    body: { code?: string; message?: string; data?: { params?: Record<string, string> } },
    headers: Headers = new Headers(),
  ) {
    super(body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = body.code ?? 'unknown';
    this.params = body.data?.params ?? {};
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

/** What stands beside a field is a sentence: the server's words follow the name of the field. */
const besideField = (told: string): string => (/^[a-z]/.test(told) ? `This ${told}` : told);

/** What is wrong with which field of a form, by the names that the form has for them, which are those of the wire. */
export const fieldErrors = (error: unknown): Record<string, string> =>
  error instanceof ApiError
    ? Object.fromEntries(
        Object.entries(error.params).map(([name, reason]) => [name, besideField(serverText(reason))]),
      )
    : {};

/** Whether all that is wrong is said beside a field of the form. @param fields the values of the form, by name */
export function isOfFields(error: unknown, fields: object): boolean {
  const wrong = Object.keys(fieldErrors(error));
  return wrong.length > 0 && wrong.every((name) => name in fields);
}
