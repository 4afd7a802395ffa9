import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { StoreUnavailable } from '../store/store.ts';
import { answerOf as adminAnswerOf } from './admin/errors.ts';
import { ADMIN_ROOT, adminRoutes } from './admin/routes.ts';
import { apiKeyHook } from './authentication.ts';
import { readBodies } from './body.ts';
import { CLIENT_DOCUMENT } from './client/documentation.ts';
import { answerOf as clientAnswerOf } from './client/errors.ts';
import { CLIENT_HEADERS, CLIENT_ROOT, clientRoutes } from './client/routes.ts';
import { builtConsole, CONSOLE_PATH, consoleHook, serveConsole } from './console.ts';
import { answerOtherOrigins } from './cors.ts';
import { answerOf as dlmV1AnswerOf } from './dlm-v1/errors.ts';
import { V1_DOCUMENT } from './dlm-v1/guide.ts';
import { dlmV1Routes } from './dlm-v1/routes.ts';
import { serveDocs } from './docs/docs.ts';
import { UNCOMPILED } from './docs/document.ts';
import { errorHandler, isBelow } from './error-handler.ts';
import { malformed, refuse } from './errors.ts';
import { healthRoutes } from './health.ts';
import { boundConnections, TIMEOUTS, type Timeouts, warnOfProxy, warnRarely } from './limits/connections.ts';
import { limitFailures } from './limits/failure-limit.ts';
import { addressLimitHook, keyLimitHook } from './limits/rate-limit.ts';
import { allAnswered, boundHead, noteLatest, turnOf } from './limits/turn.ts';
import { boundedResponse, UNSENT_MAX } from './limits/unsent.ts';
import { answerOf as lmfwcV2AnswerOf } from './lmfwc-v2/errors.ts';
import { lmfwcV2Routes } from './lmfwc-v2/routes.ts';
import { loggerOptions, logRequests } from './logging.ts';
import { countRequests, type Metrics, metricsRoute } from './metrics.ts';
import { sessionHook } from './people/session.ts';
import { isUploading } from './releases/incoming-form.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { RouteSettings, Services } from './services.ts';
import { createRewrite } from './url.ts';

export interface ServerOptions extends RouteSettings {
  /** Prefix of the paths of the REST APIs, without outer slashes: `wp-json`. */
  restPrefix: string;
  trustProxy: boolean | string;
  corsOrigins: '*' | readonly string[];
  /** Limits per minute: requests of one address, requests with one API key, failures of one address. 0 is no limit. */
  rateLimit: number;
  apiKeyRateLimit: number;
  failureLimit: number;
  /** Maximum number of simultaneous connections. */
  maxConnections: number;
  timeouts?: Timeouts;
  logLevel: string;
  /** Where log lines go. */
  logTo: { write(line: string): unknown };
  /** Counts requests, and serves the metrics; null for neither. */
  metrics?: Metrics | null;
  /** Folder of the built console, ending in a slash; null for none. By default `builtConsole()`. */
  consoleFolder?: string | null;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server begins to close. The reason is answered as 503. */
    stopping: AbortSignal;
  }
  interface FastifyRequest {
    /** `routeOptions`, stored because the framework builds it anew at each access. */
    route: FastifyRequest['routeOptions'];
    /** Scheme, host and base path for links in answers, without a trailing slash. */
    publicOrigin(): string;
  }
}

/** Creates the HTTP server. The caller listens. */
export async function createServer(
  given: Omit<Services, 'settings'>,
  options: ServerOptions,
): Promise<FastifyInstance> {
  const services: Services = { ...given, settings: options };
  const restPath = `/${options.restPrefix}`;
  const apiRoot = `${restPath}/dlm/v1`;
  const dialects = [
    // The first one also answers requests to paths of no dialect.
    { prefix: apiRoot, answerOf: dlmV1AnswerOf, routes: dlmV1Routes },
    { prefix: `${restPath}/lmfwc/v2`, answerOf: lmfwcV2AnswerOf, routes: lmfwcV2Routes },
    { prefix: CLIENT_ROOT, answerOf: clientAnswerOf, routes: clientRoutes },
    { prefix: ADMIN_ROOT, answerOf: adminAnswerOf, routes: adminRoutes },
  ] as const;
  const basePath = options.baseUrl ? pathOf(options.baseUrl) : '';
  const { timeouts = TIMEOUTS } = options;
  const rewrite = createRewrite({ restPath, clientRoot: CLIENT_ROOT, basePath });
  const app = Fastify({
    logger: loggerOptions(options.logLevel, options.logTo),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    // Do not create a logger for each request, which would take 1.5 µs: the few lines that need the request's id use
    // `logOf`.
    childLoggerFactory: (logger) => logger,
    trustProxy: options.trustProxy,
    // On close, requests in progress are answered before their connections close.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    connectionTimeout: timeouts.stalled,
    http: {
      headersTimeout: timeouts.head,
      connectionsCheckingInterval: timeouts.check,
      // The hook below refuses a missing Host header with the envelope.
      requireHostHeader: false,
      maxHeaderSize: HEADERS_MAX,
      optimizeEmptyRequests: true,
      ServerResponse: boundedResponse(() =>
        warnUnread(
          { event: 'unread_answers', limit: UNSENT_MAX },
          'clients do not read their answers: the connections that have waited longest are closed',
        ),
      ),
    },
    rewriteUrl: (request) => rewrite(request.url ?? '/'),
    routerOptions: {
      maxParamLength: HEADERS_MAX,
      // `queryOf` parses it when it is needed.
      querystringParser: (text) => text as never,
    },
    clientErrorHandler: refuseMalformed,
    schemaController: UNCOMPILED,
  });

  const warnUnread = warnRarely(app.log);
  boundConnections(app, options);
  readBodies(app);
  app.setErrorHandler(errorHandler(...dialects));
  app.decorate('execute', services.execute);
  app.decorateRequest('route', null as never);
  app.decorateRequest('publicOrigin', function () {
    const { localAddress, localPort } = this.socket;
    return options.baseUrl ?? `${this.protocol}://${this.host || `${localAddress}:${localPort}`}`;
  });

  app.addHook('onRequest', (request, reply, done) => {
    request.route = request.routeOptions;
    boundHead(request.raw);
    reply.headers({ 'x-request-id': request.id, ...SECURITY_HEADERS });
    // Node.js uses the first Host header; a proxy in front may have used another.
    if (countHosts(request.raw) > 1) return done(refuse('many_hosts'));
    const hasNoHost = !request.headers.host && request.raw.httpVersion === '1.1';
    done(hasNoHost ? refuse('no_host') : undefined);
  });
  // Handles the requests of a connection one after the other: Node.js would hold the answers to later ones in memory.
  app.addHook('onRequest', (request, reply, done) => {
    noteLatest(reply.raw, request.raw.socket);
    // Usually no earlier answer of the connection is pending.
    if (reply.raw.socket) return done();
    turnOf(reply.raw, request.raw).then((isOpen) => {
      if (!isOpen) reply.hijack();
      done();
    }, done);
  });
  if (options.trustProxy === false) warnOfProxy(app);
  logRequests(app, options);
  if (options.metrics) countRequests(app, options.metrics.counts);
  closeConnections(app, timeouts);
  // Expectations other than 100-continue are ignored. Node.js would refuse them without the envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // After CONNECT, Node.js closes the connection at once by default, and the answers to earlier requests are lost.
  app.server.on('connect', (_request, socket: Socket) => {
    // Node.js no longer handles errors, data or the end of this socket.
    socket.on('error', () => {}).setTimeout(timeouts.stalled, () => socket.destroy());
    socket.on('finish', () => setTimeout(() => socket.destroy(), LINGER_MS).unref()).resume();
    refuseMalformed.call(app, { code: 'CONNECT' }, socket);
  });
  app.addHook('onRequest', consoleHook(basePath));
  limitFailures(app, services, options.failureLimit);
  const guards = [
    ...(options.rateLimit > 0 ? [addressLimitHook(services, options.rateLimit)] : []),
    apiKeyHook(app, services),
    await sessionHook(app, services),
    ...(options.apiKeyRateLimit > 0 ? [keyLimitHook(services, options.apiKeyRateLimit)] : []),
  ];
  const hasClientApi = options.clientApi === 'on';
  const isClient = ({ url }: FastifyRequest) => hasClientApi && isBelow(CLIENT_ROOT, url);
  await answerOtherOrigins(app, options.corsOrigins, { isOf: isClient, headers: CLIENT_HEADERS }, guards);
  for (const guard of guards) app.addHook('onRequest', guard);
  app.setNotFoundHandler(() => {
    throw refuse('no_route');
  });

  healthRoutes(app, services);
  if (options.metrics?.token) metricsRoute(app, options.metrics);
  const { version } = services.installation;
  serveDocs(app, {
    async addRoutes(document) {
      await dlmV1Routes(document, services, apiRoot);
      await clientRoutes(document, services);
    },
    apiRoot,
    clientRoot: CLIENT_ROOT,
    basePath,
    version,
    tags: [...(hasClientApi ? CLIENT_DOCUMENT.tags : []), ...V1_DOCUMENT.tags],
    responses: { ...V1_DOCUMENT.responses, ...CLIENT_DOCUMENT.responses },
    webhooks: V1_DOCUMENT.webhooks,
    guide:
      V1_DOCUMENT.guide(basePath + apiRoot) +
      (hasClientApi ? CLIENT_DOCUMENT.guide(basePath + CLIENT_ROOT) : ''),
  });
  const folder = options.consoleFolder === undefined ? builtConsole() : options.consoleFolder;
  await serveConsole(app, { folder, basePath });
  // Browsers get the console, programs the documentation.
  app.get('/', { config: { public: true } }, ({ headers }, reply) => {
    const isBrowser = folder !== null && headers.accept?.includes('text/html');
    return reply.redirect(basePath + (isBrowser ? `${CONSOLE_PATH}/` : '/docs/'));
  });
  for (const { routes, prefix } of dialects) await routes(app, services, prefix);
  return app;
}

function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

/** Maximum bytes of address and headers together. Percent-encoded metadata of 16 KiB fits into a query string. */
const HEADERS_MAX = 64 * 1024;
const CLOSE_IDLE_MS = 50;
/**
 * Milliseconds before the socket is destroyed. Closing a connection with unread bytes resets it, and the client may lose the
 * last answer.
 */
const LINGER_MS = 1_000;

/**
 * When the server closes, interrupts what may take long, and closes each connection after its last answer: keep-alive would
 * leave it open. A request of a proxy may be under way on a connection that looks idle here: for `leaving` milliseconds those
 * stay open, and Fastify sends `Connection: close` with each answer.
 */
function closeConnections(app: FastifyInstance, { leaving }: Timeouts): void {
  const { server } = app;
  const stopping = new AbortController();
  app.decorate('stopping', stopping.signal);
  app.addHook('preClose', async () => {
    stopping.abort(new StoreUnavailable('the server is stopping'));
    // `server.close` would also close idle connections.
    if (server.listening) TcpServer.prototype.close.call(server);
    const countOpen = promisify(server.getConnections.bind(server));
    const until = performance.now() + leaving;
    while (performance.now() < until && (await countOpen()) > 0) await pause(CLOSE_IDLE_MS);
    const timer = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS).unref();
    server.once('close', () => clearInterval(timer));
  });
}

const pathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '');

/** Answers a request that is not valid HTTP with the envelope, if the connection is still writable, and logs it. */
function refuseMalformed(this: FastifyInstance, error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  // An upload has its own time limit.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
  // Further bytes may cause the error again.
  if (refused.has(socket)) return;
  refused.add(socket);
  // Wait for earlier answers: otherwise the client would take this answer for one of them.
  allAnswered(socket).then(() => {
    if (socket.writable) answerMalformed(this, error, socket);
  });
}

/**
 * Not imported: an ESM import of `node:http` reads its export `WebSocket`, for which Node.js loads undici, the
 * implementation of `fetch`. That takes a twentieth of the CPU time of a start.
 */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Connections that were refused. The rest of their data is ignored. */
const refused = new WeakSet<Socket>();

function answerMalformed({ log }: FastifyInstance, error: { code?: string }, socket: Socket): void {
  const answer = dlmV1AnswerOf(malformed(error.code).refusal);
  const body = JSON.stringify(answer.body);
  const { status } = answer;
  const reqId = randomUUID();
  // Does not log the error, which contains the bytes of the request.
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
