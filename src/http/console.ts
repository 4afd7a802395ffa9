import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from './errors.ts';

/** Where the console is, below the base path; its API is in `api/` below it. */
export const CONSOLE_PATH = '/console';

/** Where what is built is: beside the program that is built, too, or in the tree of the source. */
const PLACES = ['../console/', '../../dist/console/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
const INDEX = 'index.html';
const builtAt = (folder: string): boolean => existsSync(folder + INDEX);

/** The folder of the console that is built, ending in a slash; null where none is. */
export const builtConsole = (): string | null => PLACES.find(builtAt) ?? null;

const NOT_BUILT =
  'The console is not built. `npm start` builds it, and so does `npm run build`; then start the server again.\n';

/** Milliseconds that a file with a hash of its bytes in its name may be kept. */
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** Nothing from another host and nothing inline, but styles that carry the page's own nonce. */
const policy = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const isPublic = { config: { public: true }, schema: { hide: true } };

/**
 * The pages of the console. An address below it that is no file answers the page that finds out what to show there.
 * @param folder of what is built, ending in a slash; null for a text that says that nothing is
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
/** Not a folder, and nothing that the build keeps for itself. */
const isAsset = (name: string): boolean =>
  /^(assets\/)?[\w-][\w.-]*\.\w+$/.test(name) && !/\.(br|gz)$/.test(name);
const wantsPage = ({ headers }: FastifyRequest): boolean => /text\/html|\*\/\*/.test(headers.accept ?? '*/*');

function sendFile(reply: FastifyReply, name: string): FastifyReply {
  reply.header('vary', 'accept-encoding');
  const isHashed = name.startsWith('assets/');
  return reply.sendFile(name, { maxAge: isHashed ? YEAR_MS : 0, immutable: isHashed });
}

const NONCE = '%nonce%';

/** The page, with the addresses that it has behind this base path, and a place for the nonce of each answer. */
function readPage(folder: string, basePath: string): string {
  return readFileSync(folder + INDEX, 'utf8')
    .replaceAll('"./', `"${basePath}${CONSOLE_PATH}/`)
    .replace('name="latchkey-base" content=""', `name="latchkey-base" content="${basePath}"`)
    .replace('name="latchkey-nonce" content=""', `name="latchkey-nonce" content="${NONCE}"`);
}
