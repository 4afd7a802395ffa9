import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { countDownloads, findDownload } from '../../app/releases/downloads.ts';
import { type ActivationMeta, activationMeta } from '../../domain/activation.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { downloadFilterShape } from '../../domain/download.ts';
import { actorOf, credentialsOf } from '../authentication.ts';
import { clientOf } from '../client.ts';
import { unwrap } from '../errors.ts';
import { parameterSchema } from '../parameter-schema.ts';
import { parametersOf } from '../parameters.ts';
import { sendFile } from '../releases/download.ts';
import { createInput } from '../requests.ts';
import type { Services } from '../services.ts';
import { addPagingHeaders, PAGING_HEADERS, pagingOf, pagingShape } from './paging.ts';
import { presentDownloadCount, success } from './present.ts';
import { routeSchema } from './route-schema.ts';
import { DownloadCount } from './schemas.ts';

const URL = '/software/download/:token';
type ByToken = { Params: { token: string } };
type OfSoftware = { Params: { software_id: string } };

/** Where the file that a download token is for can be had, with the credentials that the request came with. */
export function downloadUrl(app: FastifyInstance, request: FastifyRequest, downloadToken: string): string {
  const credentials = credentialsOf(request);
  const query = new URLSearchParams({
    consumer_key: credentials?.consumerKey ?? '',
    consumer_secret: credentials?.consumerSecret ?? '',
  });
  return `${request.publicOrigin()}${app.prefix}${URL.replace(':token', downloadToken)}?${query}`;
}

export function downloadRoutes(
  app: FastifyInstance,
  { store, execute, clock, artifacts, downloadTokens }: Services,
) {
  const handler = async (request: FastifyRequest<ByToken>, reply: FastifyReply) => {
    const { token } = request.params;
    const actor = actorOf(request);
    const about = { ...clientOf(request), meta: metaOf(request) };
    return sendFile(request, reply, artifacts, async () => {
      const now = toDatetime(clock());
      const found = await findDownload({ reads: store.read, downloadTokens }, token, actor, now);
      const { file, record } = unwrap(found);
      const begin = async () => unwrap(await execute('record-download', { ...record, ...about }, actor));
      return { file, begin };
    });
  };
  const config = { endpoint: 'software.download', access: 'read' } as const;
  app.get<ByToken>(URL, {
    config,
    // HEAD is told the size of the file, which the framework's own would take for that of an empty body.
    exposeHeadRoute: false,
    schema: routeSchema({
      summary: 'Download a release',
      description:
        'With the token of a download_url, that release; with an activation token, the newest stable one of its software. ' +
        'Query parameters that begin with meta_ are kept with the record of the download.',
      tags: ['Software'],
      path: { token: Type.String({ description: 'A download token or an activation token' }) },
      data: 'file',
      errors: ['download_not_found', 'download_denied', 'precondition_failed', 'range_not_satisfiable'],
    }),
    handler,
  });
  app.head<ByToken>(URL, { config, schema: { hide: true }, handler });

  app.get<OfSoftware>('/software/:software_id/downloads', {
    config: { endpoint: 'downloads.list' },
    schema: routeSchema({
      summary: 'Count downloads by release and day, newest day first',
      tags: ['Software'],
      path: { software_id: Type.String({ description: 'The id, an integer' }) },
      query: parameterSchema({ ...pagingShape, ...downloadFilterShape }, 'query'),
      data: Type.Array(DownloadCount),
      headers: PAGING_HEADERS,
      errors: ['software_not_found', 'invalid_paging', 'invalid_values'],
    }),
    handler: async (request, reply) => {
      const paging = pagingOf(request);
      const filter = createInput(downloadFilterShape, request);
      const counts = await countDownloads(
        store.read,
        request.params.software_id,
        filter,
        paging,
        actorOf(request),
      );
      const found = unwrap(counts);
      addPagingHeaders(request, reply, paging, found);
      return success(found.items.map(presentDownloadCount));
    },
  });
}

const META = 'meta_';

/** `meta_wp_version=6.8` is `{ "wp_version": "6.8" }`. */
function metaOf(request: FastifyRequest): ActivationMeta | null {
  const entries = Object.entries(parametersOf(request)).filter(([name]) => name.startsWith(META));
  const read = activationMeta.read(
    Object.fromEntries(entries.map(([name, value]) => [name.slice(META.length), value])),
  );
  return read.ok ? read.value : null;
}
