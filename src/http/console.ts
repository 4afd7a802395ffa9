import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { refuse } from './errors.ts';
import { shareFiles } from './shared-files.ts';
import { relativeOf } from './url.ts';

/** The path of the console below the base path. Its API is in `api/`. */
export const CONSOLE_PATH = '/console';

/** The folders of the built console: beside the built program, and in the source tree. */
const FOLDERS = ['../console/', '../../dist/console/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
const INDEX = 'index.html';

/** Returns the folder of the built console, ending in a slash, or null. */
export const builtConsole = (): string | null => FOLDERS.find((folder) => existsSync(folder + INDEX)) ?? null;

const NOT_BUILT =
  'The console is not built. Run `npm start` or `npm run console:build`, then start the server again.\n';

/** Browsers may cache a file for a year if its name contains the hash of its bytes. */
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** Allows nothing from other hosts and nothing inline except styles with the nonce of the page. */
const policy = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/**
 * Returns a hook that answers other forms of the console's path with 404, such as `/%63onsole/` and `//console/`: a proxy that
 * refuses the console to some networks may compare the path as it is sent.
 */
export const consoleHook = (basePath: string): onRequestHookHandler => {
  const literal = [CONSOLE_PATH, basePath + CONSOLE_PATH];
  return ({ route, originalUrl }, _reply, done) => {
    const isConsole = route.url?.startsWith(CONSOLE_PATH);
    const sent = relativeOf(originalUrl);
    done(isConsole && !literal.some((path) => sent.startsWith(path)) ? refuse('no_route') : undefined);
  };
};

const isPublic = { config: { public: true } };

/**
 * Serves the console. Addresses without a file get the page, whose router decides what to show.
 * @param folder folder of the built console, ending in a slash; if null, answers say that the console is not built
 */
export async function serveConsole(
  app: FastifyInstance,
  { folder, basePath }: { folder: string | null; basePath: string },
): Promise<void> {
  app.get(CONSOLE_PATH, isPublic, (request, reply) => {
    const [, query] = request.url.split(/\?(.*)/s);
    return reply.redirect(`${basePath}${CONSOLE_PATH}/${query ? `?${query}` : ''}`);
  });
  if (!folder) {
    app.get(`${CONSOLE_PATH}/*`, isPublic, (request, reply) => {
      if (nameOf(request).startsWith('api/')) throw refuse('no_route');
      return reply.status(404).type('text/plain; charset=utf-8').send(NOT_BUILT);
    });
    return;
  }
  const page = readPage(folder, basePath);
  const files = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  await app.register(async (scope) => {
    scope.addHook('onSend', shareFiles);
    await scope.register(fastifyStatic, { root: folder, serve: false, preCompressed: true });
    scope.get(`${CONSOLE_PATH}/*`, isPublic, (request, reply) => {
      const name = nameOf(request);
      if (name !== INDEX && isAsset(name) && files.has(name)) return sendFile(reply, name);
      if (name.startsWith('api/') || name.startsWith('assets/') || !wantsPage(request))
        throw refuse('no_route');
      const nonce = randomBytes(16).toString('base64url');
      return reply
        .headers({ 'cache-control': 'no-cache', 'content-security-policy': policy(nonce) })
        .type('text/html; charset=utf-8')
        .send(page.replace(NONCE, nonce));
    });
  });
}

const nameOf = (request: FastifyRequest): string => (request.params as { '*': string })['*'];
/** Whether a name can be that of a file to serve: not a folder, a hidden file or a compressed copy. */
const isAsset = (name: string): boolean =>
  /^(assets\/)?[\w-][\w.-]*\.\w+$/.test(name) && !/\.(br|gz)$/.test(name);
const wantsPage = ({ headers }: FastifyRequest): boolean => /text\/html|\*\/\*/.test(headers.accept ?? '*/*');

function sendFile(reply: FastifyReply, name: string): FastifyReply {
  const isHashed = name.startsWith('assets/');
  return reply.sendFile(name, { maxAge: isHashed ? YEAR_MS : 0, immutable: isHashed });
}

const NONCE = '%nonce%';

/** Reads the page and sets the base path in its addresses. Each answer replaces NONCE. */
function readPage(folder: string, basePath: string): string {
  return readFileSync(folder + INDEX, 'utf8')
    .replaceAll('"./', `"${basePath}${CONSOLE_PATH}/`)
    .replace('name="latchkey-base" content=""', `name="latchkey-base" content="${basePath}"`)
    .replace('name="latchkey-nonce" content=""', `name="latchkey-nonce" content="${NONCE}"`);
}
