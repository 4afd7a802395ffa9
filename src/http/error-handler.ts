import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { StorageUnavailable } from '../storage/storage.ts';
import { StoreDamaged, StoreUnavailable } from '../store/store.ts';
import { type Answer, type Dialect, guessOf, HttpProblem, refuse } from './errors.ts';
import { logOf } from './logging.ts';
import type { AnyRefusal } from './refusals.ts';

/** Seconds after which a client may try again while the database is unavailable. */
const RETRY_AFTER = 1;
/** The framework may refuse a malformed request before it finds that there is no route. */
const BEFORE_ROUTING = ['bad_request', 'not_http', 'no_host', 'many_hosts'];

type Thrown = Error & { statusCode?: number };

/**
 * Turns whatever was thrown into an answer, in the dialect of the request's path. Logs our own faults; the answer contains
 * nothing internal.
 * @param fallback answers requests to paths of no dialect
 */
export function errorHandler(fallback: Dialect, ...others: Dialect[]) {
  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { answerOf } = others.find(({ prefix }) => isBelow(prefix, request.url)) ?? fallback;
    const answer = answerTo(await refusalFor(error, request, reply), answerOf, request);
    const { status } = answer;
    logFailure(error, status, request);
    if (status === 503) reply.header('retry-after', RETRY_AFTER);
    // Close the connection, unless the rest of the body is read, as that of a refused upload is (`receiveForm`).
    if (status === 413 && request.raw.readableFlowing !== true) reply.header('connection', 'close');
    if (answer.headers) reply.headers(answer.headers);
    if (!answer.type) return reply.code(status).send(answer.body);
    // Send bytes: to a string of this media type the framework would add a charset, which the type does not have (RFC 9457).
    const bytes = Buffer.from(JSON.stringify(answer.body));
    return reply.code(status).header('content-type', answer.type).send(bytes);
  };
}

/** Whether an address is this path, or below it. */
export const isBelow = (path: string, url: string): boolean =>
  url.startsWith(path) && ['', '/', '?'].includes(url.charAt(path.length));

function answerTo(refusal: AnyRefusal, answerOf: Dialect['answerOf'], request: FastifyRequest): Answer {
  request.server.requestCounts?.refused(refusal.code);
  return answerOf(refusal, request);
}

async function refusalFor(error: Thrown, request: FastifyRequest, reply: FastifyReply): Promise<AnyRefusal> {
  const { refusal } = asProblem(error);
  if (request.is404 && BEFORE_ROUTING.includes(refusal.code)) return refuse('no_route').refusal;
  try {
    const guess = guessOf(refusal);
    if (guess !== null) await request.noteGuess(guess, reply);
    return refusal;
  } catch (error) {
    // 429: the address has guessed too often.
    return asProblem(error as Thrown).refusal;
  }
}

/**
 * Returns the answer to an error that occurs after the headers were sent: the body can still hold it, but the status cannot.
 */
export function lateAnswer(error: Error, answerOf: Dialect['answerOf'], request: FastifyRequest): Answer {
  const answer = answerTo(asProblem(error).refusal, answerOf, request);
  logFailure(error, answer.status, request);
  return answer;
}

function logFailure(error: Error, status: number, request: FastifyRequest): void {
  if (hasLeft(error, request)) logOf(request).info('the client disconnected');
  else if (status >= 500) logOf(request)[status === 503 ? 'warn' : 'error']({ err: error }, failureOf(error));
}

/** Whether a stream ended early only because the client has disconnected. Nothing has failed on the server then. */
const hasLeft = (error: Error & { code?: string }, { raw }: FastifyRequest): boolean =>
  error.code === 'ERR_STREAM_PREMATURE_CLOSE' && raw.socket.destroyed;

/** Returns the log message, which says what to do if the error itself does not. */
const failureOf = (error: Error): string =>
  error instanceof StoreDamaged
    ? 'the request failed: the database is damaged; stop the server and restore it from a backup ("latchkey doctor" shows details)'
    : 'the request failed';

function asProblem(error: Thrown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof StoreUnavailable || error instanceof StorageUnavailable) return refuse('unavailable');
  const { statusCode = 500 } = error;
  if (statusCode === 413) return refuse('body_too_large', { max: null });
  if (statusCode === 415) return refuse('unsupported_type', { types: null });
  return refuse(statusCode >= 400 && statusCode < 500 ? 'bad_request' : 'failed');
}
