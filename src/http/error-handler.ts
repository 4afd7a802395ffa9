import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { StorageUnavailable } from '../storage/storage.ts';
import { StoreDamaged, StoreUnavailable } from '../store/store.ts';
import { type Answer, type Dialect, guessOf, HttpProblem, OwnAnswer, refuse } from './errors.ts';

/** Seconds after which a client may try again while the store is away. */
const RETRY_AFTER = 1;
/** The framework may refuse how a request is made before it finds that no route wants it. */
const BEFORE_ROUTING = ['bad_request', 'not_http', 'no_host'];

type Thrown = Error & { statusCode?: number };

/**
 * Turns whatever was thrown into an answer, of the dialect whose path the request has. What is ours is logged; the
 * answer tells nothing internal.
 * @param fallback answers requests to other paths
 */
export function errorHandler(fallback: Dialect, ...others: Dialect[]) {
  return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const dialect = others.find(({ prefix }) => request.url.startsWith(`${prefix}/`)) ?? fallback;
    const answer = await answerTo(error, dialect, request, reply);
    const { status } = answer;
    logFailure(error, status, request);
    if (status === 503) reply.header('retry-after', RETRY_AFTER);
    // The rest of a body that is too large is not read.
    if (status === 413) reply.header('connection', 'close');
    return reply.code(status).send(answer.body);
  };
}

async function answerTo(
  error: Thrown,
  { answerOf }: Dialect,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  if (error instanceof OwnAnswer) return error.answer;
  const { refusal } = asProblem(error);
  if (request.is404 && BEFORE_ROUTING.includes(refusal.code)) return answerOf(refuse('no_route').refusal);
  try {
    const guess = guessOf(refusal);
    if (guess !== null) await request.noteGuess(guess, reply);
    return answerOf(refusal);
  } catch (error) {
    // Too many guesses of this address.
    return answerOf(asProblem(error as Thrown).refusal);
  }
}

/** What is said of an error where the answer has begun: too late for a status. */
export function lateAnswer(error: Error, answerOf: Dialect['answerOf'], request: FastifyRequest): Answer {
  const answer = answerOf(asProblem(error).refusal);
  logFailure(error, answer.status, request);
  return answer;
}

function logFailure(error: Error, status: number, request: FastifyRequest): void {
  if (hasLeft(error, request)) request.log.info('the client went away');
  else if (status >= 500) request.log[status === 503 ? 'warn' : 'error']({ err: error }, failureOf(error));
}

/** A stream to a client that is gone ends too early, and nothing has failed here. */
const hasLeft = (error: Error & { code?: string }, { raw }: FastifyRequest): boolean =>
  error.code === 'ERR_STREAM_PREMATURE_CLOSE' && raw.socket.destroyed;

/** For the log: what happened, and what to do where the error itself does not say it. */
const failureOf = (error: Error): string =>
  error instanceof StoreDamaged
    ? 'the request failed: the database is damaged; stop the server and restore it from a backup ("latchkey doctor" tells more)'
    : 'the request failed';

function asProblem(error: Thrown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof StoreUnavailable || error instanceof StorageUnavailable) return refuse('unavailable');
  const { statusCode = 500 } = error;
  if (statusCode === 413) return refuse('body_too_large', { max: null });
  if (statusCode === 415) return refuse('unsupported_type', { types: null });
  return refuse(statusCode >= 400 && statusCode < 500 ? 'bad_request' : 'failed');
}
