import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { answerOf as adminAnswerOf } from './admin/errors.ts';
import { ADMIN_ROOT, adminRoutes } from './admin/routes.ts';
import { apiKeyHook } from './authentication.ts';
import { readBodies } from './body.ts';
import { builtConsole, CONSOLE_PATH, serveConsole } from './console.ts';
import { answerOtherOrigins } from './cors.ts';
import { answerOf as dlmV1AnswerOf } from './dlm-v1/errors.ts';
import { dlmV1Routes } from './dlm-v1/routes.ts';
import { serveDocs } from './docs.ts';
import { errorHandler } from './error-handler.ts';
import { type Dialect, malformed, refuse } from './errors.ts';
import { healthRoutes } from './health.ts';
import { boundConnections, PATIENCE, type Patience, warnOfProxy } from './limits/connections.ts';
import { limitFailures } from './limits/failure-limit.ts';
import { addressLimitHook, keyLimitHook } from './limits/rate-limit.ts';
import { allAnswered, noteLatest, turnOf } from './limits/turn.ts';
import { loggerOptions, logRequests } from './logging.ts';
import { parseForm } from './parameters.ts';
import { sessionHook } from './people/session.ts';
import { isUploading } from './releases/incoming-form.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { Services } from './services.ts';
import { createRewrite } from './url.ts';

export interface ServerOptions {
  /** Public address without a slash at its end; null to take each request's Host. */
  baseUrl: string | null;
  /** `wp-json` */
  restPrefix: string;
  trustProxy: boolean | string;
  corsOrigins: '*' | readonly string[];
  /** Per minute: requests from one address, requests with one API key, failures of one address; 0 for no limit. */
  rateLimit: number;
  apiKeyRateLimit: number;
  failureLimit: number;
  /** Attempts to sign in to the console from one network in a minute; 0 for no limit. */
  signInLimit: number;
  /** Connections at once. */
  maxConnections: number;
  /** What connections have in place of the usual. */
  patience?: Patience;
  /** Hours that a download address is good for. */
  downloadHours: number;
  logLevel: string;
  /** Where log lines go. */
  logTo: { write(line: string): unknown };
  version: string;
  /** Folder of the console that is built, ending in a slash; null for none. By default where it is built to. */
  consoleFolder?: string | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Its routeOptions, which are gathered anew whenever they are asked for. */
    route: FastifyRequest['routeOptions'];
    /** Scheme, host and base path of links in answers, without a slash at the end. */
    publicOrigin(): string;
  }
}

/** What the service is over HTTP; who listens, and where, is not its business. */
export async function createServer(services: Services, options: ServerOptions): Promise<FastifyInstance> {
  const restPath = `/${options.restPrefix}`;
  // It also answers what is below the path of no dialect.
  const dlmV1: Dialect = { prefix: `${restPath}/dlm/v1`, answerOf: dlmV1AnswerOf };
  const admin: Dialect = { prefix: ADMIN_ROOT, answerOf: adminAnswerOf };
  const basePath = options.baseUrl ? pathOf(options.baseUrl) : '';
  const { patience = PATIENCE } = options;
  const rewrite = createRewrite({ restPath, basePath });
  const app = Fastify({
    logger: loggerOptions(options.logLevel, options.logTo),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: options.trustProxy,
    // Requests that came before the end are answered, then connections close.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: patience.request,
    keepAliveTimeout: patience.idle,
    connectionTimeout: patience.stalled,
    http: {
      headersTimeout: patience.head,
      connectionsCheckingInterval: patience.look,
      // Refused by the hook below, so that the refusal has the envelope.
      requireHostHeader: false,
      maxHeaderSize: HEADERS_MAX,
      optimizeEmptyRequests: true,
    },
    rewriteUrl: (request) => rewrite(request.url ?? '/'),
    routerOptions: { maxParamLength: HEADERS_MAX, querystringParser: parseForm },
    clientErrorHandler: refuseMalformed,
  });

  boundConnections(app, options);
  readBodies(app);
  app.setErrorHandler(errorHandler(dlmV1, admin));
  // The schemas only document: input is read by the fields of the domain, and what is answered is made by the presenters.
  // V8's own JSON takes 4 µs less of a validation than code made from the schema of its answer.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.decorateRequest('route', null as never);
  app.decorateRequest('publicOrigin', function () {
    const { localAddress, localPort } = this.socket;
    return options.baseUrl ?? `${this.protocol}://${this.host || `${localAddress}:${localPort}`}`;
  });

  app.addHook('onRequest', (request, reply, done) => {
    request.route = request.routeOptions;
    reply.headers({ 'x-request-id': request.id, ...SECURITY_HEADERS });
    const hasNoHost = !request.headers.host && request.raw.httpVersion === '1.1';
    done(hasNoHost ? refuse('no_host') : undefined);
  });
  // Requests of one connection are worked on one by one: whatever one needs is held until the answers before it are sent.
  app.addHook('onRequest', (request, reply, done) => {
    noteLatest(reply.raw, request.raw.socket);
    // The usual case: nothing on this connection waits to be sent.
    if (reply.raw.socket) return done();
    turnOf(reply.raw, request.raw).then((isThere) => {
      if (!isThere) reply.hijack();
      done();
    }, done);
  });
  if (options.trustProxy === false) warnOfProxy(app);
  logRequests(app, options);
  closeConnections(app);
  // An expectation other than 100-continue may be ignored; the framework would refuse it without the envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Else Node.js would close the connection at once, and the answers to the requests before it would be lost.
  app.server.on('connect', (_request, socket: Socket) => {
    // From here on nobody else listens to it, reads it, or ends it.
    socket.on('error', () => {}).setTimeout(patience.stalled, () => socket.destroy());
    socket.on('finish', () => setTimeout(() => socket.destroy(), LINGER_MS).unref()).resume();
    refuseMalformed.call(app, { code: 'CONNECT' }, socket);
  });
  const refuseGuessers = limitFailures(app, services, options.failureLimit);
  const guards = [
    ...(options.rateLimit > 0 ? [addressLimitHook(services, options.rateLimit)] : []),
    apiKeyHook(app, services, refuseGuessers),
    await sessionHook(app, services),
    ...(options.apiKeyRateLimit > 0 ? [keyLimitHook(services, options.apiKeyRateLimit)] : []),
  ];
  await answerOtherOrigins(app, options.corsOrigins, guards);
  for (const guard of guards) app.addHook('onRequest', guard);
  app.setNotFoundHandler(() => {
    throw refuse('no_route');
  });

  healthRoutes(app, services);
  await serveDocs(app, { dialect: dlmV1, basePath, version: options.version });
  const folder = options.consoleFolder === undefined ? builtConsole() : options.consoleFolder;
  await serveConsole(app, { folder, basePath });
  // Programs that look around find the documentation, people what they work with.
  app.get('/', { config: { public: true }, schema: { hide: true } }, ({ headers }, reply) => {
    const isPerson = folder !== null && headers.accept?.includes('text/html');
    return reply.redirect(basePath + (isPerson ? `${CONSOLE_PATH}/` : '/docs/'));
  });
  await dlmV1Routes(app, services, { prefix: dlmV1.prefix, downloadHours: options.downloadHours });
  await adminRoutes(app, services, options);
  return app;
}

/** Bytes of address and headers together: metadata of 16 KiB fits into a query string, percent-encoded. */
const HEADERS_MAX = 64 * 1024;
const CLOSE_IDLE_MS = 50;
/** A connection that is closed with bytes unread is reset, which may overtake its last answer. */
const LINGER_MS = 1_000;

/** At the end, a connection whose last answer is sent is closed, too: by itself it would stay open for more. */
function closeConnections(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_MS).unref();
  });
}

const pathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '');

/** What is no HTTP, or none for a server like this, gets the envelope too, as far as the connection can take it, and a line in the log. */
function refuseMalformed(this: FastifyInstance, error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  // An upload has its own time limit.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
  // It may come again for what is sent meanwhile.
  if (refused.has(socket)) return;
  refused.add(socket);
  // Else the refusal would be taken for the answer to an earlier request, which is carried out all the same.
  allAnswered(socket).then(() => {
    if (socket.writable) answerMalformed(this, error, socket);
  });
}

/** Connections of which the rest is not read. */
const refused = new WeakSet<Socket>();

function answerMalformed({ log }: FastifyInstance, error: { code?: string }, socket: Socket): void {
  const answer = dlmV1AnswerOf(malformed(error.code).refusal);
  const body = JSON.stringify(answer.body);
  const { status } = answer;
  const reqId = randomUUID();
  // Not the error itself: it holds the bytes that were sent.
  log.info({ reqId, status, reason: error.code, ip: socket.remoteAddress });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${reqId}`,
    ...Object.entries(SECURITY_HEADERS).map((header) => header.join(': ')),
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
