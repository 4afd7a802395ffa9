import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { StorageUnavailable } from '../storage/storage.ts';
import { StoreDamaged, StoreUnavailable } from '../store/store.ts';
import { FAILED, HttpProblem, noRoute, problem, unavailable } from './errors.ts';

/** Seconds after which a client may try again while the store is away. */
const RETRY_AFTER = 1;

/** Turns whatever was thrown into an answer. What is ours is logged; what is said of it tells nothing internal. */
export async function handleError(
  error: FastifyError | HttpProblem,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const found = await counted(asProblem(error), request, reply);
  // The framework may refuse how a request is made before it finds that no route wants it.
  const answer = request.is404 && found.code === 'rest_bad_request' ? noRoute() : found;
  const { status } = answer.data;
  logFailure(error, answer, request);
  if (status === 503) reply.header('retry-after', RETRY_AFTER);
  // The rest of a body that is too large is not read.
  if (status === 413) reply.header('connection', 'close');
  return reply.code(status).send(answer.body);
}

/** The answer, or, where too many of its kind were given to the address, 429 in its place. */
async function counted(
  answer: HttpProblem,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<HttpProblem> {
  if (answer.guess === null) return answer;
  try {
    await request.noteGuess(answer.guess, reply);
    return answer;
  } catch (error) {
    return asProblem(error as Error & { code: string });
  }
}

/** What is said of an error where the answer has begun: too late for a status. */
export function lateProblem(error: Error, request: FastifyRequest): HttpProblem {
  const answer = asProblem(error as FastifyError);
  logFailure(error, answer, request);
  return answer;
}

function logFailure(error: Error, { data: { status } }: HttpProblem, request: FastifyRequest): void {
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

function asProblem(error: FastifyError | HttpProblem): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof StoreUnavailable || error instanceof StorageUnavailable) return unavailable();
  const status = error.statusCode ?? 500;
  if (status === 413) return problem('rest_content_too_large', 'The body is too large.');
  if (status === 415)
    return problem('rest_unsupported_media_type', 'The body has a type that is not supported.');
  if (status >= 400 && status < 500) return problem('rest_bad_request', 'The request is malformed.');
  return problem('server_error', FAILED);
}
