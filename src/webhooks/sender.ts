import type { LookupAddress } from 'node:dns';
import { lookup as resolveName } from 'node:dns/promises';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { Clock } from '../domain/datetime.ts';
import { createAddressPolicy, literalsOf } from './address-policy.ts';
import { readAnswer, retryAfterOf } from './answer.ts';
import { BROKEN, isBroken, refused, WebhookFailure, wordsOf } from './failures.ts';
import { fixedHeaders, type Sender, type WebhookRequest } from './webhooks.ts';

/** Finds the addresses of a host name. */
type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

interface SenderOptions {
  /** CIDRs of non-public networks that webhooks may be sent to, even over http. */
  networks: readonly string[];
  /** Milliseconds for everything: resolving the name, connecting, sending, and reading the answer. */
  timeout?: number;
  clock?: Clock;
  /** For tests, which have names of their own. */
  resolve?: Resolve;
}

/** Not imported: most commands send nothing, and an ESM import of `node:http` also loads undici. */
const clientOf = (protocol: string) =>
  process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');

const TIMEOUT_MS = 15_000;
/**
 * Milliseconds to connect to one address of a host, before trying the next. The default of 0.5 s is too short for a distant
 * receiver.
 */
const CONNECT_MS = 3_000;
/** Milliseconds after which an unused connection is closed. Many servers close theirs after 5 s. */
const IDLE_MS = 4_000;
/** The most unused connections to one host. An endpoint has few concurrent deliveries. */
const IDLE_MAX = 4;

/** The most interim answers (1xx) to one request. Node.js would read them without end, and hold up everything else. */
const INTERIM_MAX = 20;

/** Creates an HTTP client that reaches public addresses only, whatever name, spelling or redirect leads elsewhere. */
export function createSender({
  networks,
  timeout = TIMEOUT_MS,
  clock = Date.now,
  resolve = (hostname) => resolveName(hostname, { all: true }),
}: SenderOptions): Sender {
  const policy = createAddressPolicy(networks);
  const find = sharing(resolve);
  let isClosed = false;

  /**
   * Returns the allowed addresses of a host name. The socket uses this very look-up, so no second one could return other
   * addresses.
   */
  async function allowedAddresses(hostname: string, protocol: string): Promise<LookupAddress[]> {
    const found = await find(hostname);
    const allowed = found.filter(({ address }) => policy.faultOfIp(address, protocol) === null);
    if (allowed.length > 0) return allowed;
    const [first] = found;
    if (!first) throw new WebhookFailure('unknown host name');
    throw refused(policy.faultOfIp(first.address, protocol), first.address);
  }
  const optionsFor = (protocol: string) => {
    const lookup: LookupFunction = (hostname, _options, done) => {
      allowedAddresses(hostname, protocol).then(
        (addresses) => done(null, addresses),
        (error) => done(error, []),
      );
    };
    return {
      keepAlive: true,
      maxFreeSockets: IDLE_MAX,
      timeout: IDLE_MS,
      scheduling: 'lifo' as const,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: CONNECT_MS,
    };
  };
  // Do not use the global agents: they could use a proxy from the environment, which would connect anywhere.
  const agents: Record<string, Agent> = {};

  /** Ends the request before anything is sent, if the connection leads to a forbidden address despite the look-up. */
  function checkPeer(request: ClientRequest, socket: Socket): void {
    // A connection that is used again was checked before.
    if (!socket.connecting) return;
    socket.prependOnceListener('connect', () => {
      const fault = socket.remoteAddress && policy.faultOfIp(socket.remoteAddress, request.protocol);
      if (fault) request.destroy(refused(fault, String(socket.remoteAddress)));
    });
  }

  /**
   * Sends a request on a new or reused connection.
   * @returns the answer, whose body is still to be read; null if the server had already closed the connection that was to
   *   be reused
   */
  function begin(url: URL, { headers, body }: WebhookRequest, signal: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage | null>();
    const { protocol } = url;
    const { Agent, request: open } = clientOf(protocol);
    agents[protocol] ??= new Agent(optionsFor(protocol));
    const request = open(url, {
      method: 'POST',
      agent: agents[protocol],
      signal,
      headers: { ...headers, ...fixedHeaders(body) },
    });
    request.on('socket', (socket) => checkPeer(request, socket));
    let interim = 0;
    request.on('information', () => {
      if (++interim > INTERIM_MAX) request.destroy(new WebhookFailure('too many interim answers'));
    });
    let hasAnswer = false;
    request.on('response', (response) => {
      hasAnswer = true;
      resolve(response);
    });
    request.on('error', (error) => {
      if (request.reusedSocket && isBroken(error) && !isClosed) resolve(null);
      else reject(error);
    });
    // After a 101 answer, the request ends without a response and without an error.
    request.on('close', () => {
      if (!hasAnswer) reject(new WebhookFailure(BROKEN));
    });
    request.end(body);
    return promise;
  }

  async function exchange(request: WebhookRequest, signal: AbortSignal) {
    const fault = policy.faultOfUrl(request.url);
    const url = URL.parse(request.url);
    if (fault || !url) throw refused(fault, url ? (literalsOf(url.hostname)[0] ?? '') : '');
    let response: IncomingMessage | null = null;
    while (response === null) response = await begin(url, request, signal);
    return {
      status: response.statusCode ?? null,
      error: null,
      answer: await readAnswer(response),
      retryAfter: retryAfterOf(response.headers['retry-after'], clock()),
    };
  }

  return {
    addressFault: policy.faultOfUrl,
    async send(request) {
      const began = performance.now();
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), timeout);
      const failed = (error: unknown) => {
        const late = deadline.signal.aborted ? `no answer within ${timeout / 1_000} s` : null;
        const words = isClosed ? 'Latchkey was stopped' : (late ?? wordsOf(error));
        return { status: null, error: words, answer: '', retryAfter: null };
      };
      const outcome = await exchange(request, deadline.signal).catch(failed);
      clearTimeout(timer);
      return { ...outcome, ms: Math.round(performance.now() - began) };
    },
    close() {
      isClosed = true;
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Wraps a resolver so that concurrent look-ups of a name share one: Node.js runs only a few look-ups at a time. */
function sharing(resolve: Resolve): Resolve {
  const running = new Map<string, ReturnType<Resolve>>();
  return (hostname) => {
    const present = running.get(hostname) ?? resolve(hostname).finally(() => running.delete(hostname));
    running.set(hostname, present);
    return present;
  };
}
