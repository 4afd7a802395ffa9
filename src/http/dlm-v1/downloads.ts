import type { FastifyInstance, FastifyRequest } from 'fastify';
import { countDownloads, findDownload } from '../../app/releases/downloads.ts';
import { type ActivationMeta, activationMeta, metaFrom } from '../../domain/activation.ts';
import { downloadFilterShape } from '../../domain/releases/download.ts';
import { withCredentials } from '../authentication.ts';
import { unwrap } from '../errors.ts';
import { parametersOf } from '../parameters.ts';
import { sendDownload } from '../releases/download.ts';
import type { Services } from '../services.ts';
import { BY_NUMBER } from './paging.ts';
import { presentDownloadCount } from './present.ts';
import { v1Router } from './route.ts';
import { DownloadCount } from './schemas.ts';

/** Returns the address of a download, with the credentials of the request. */
export const downloadUrl = (app: FastifyInstance, request: FastifyRequest, downloadToken: string): string =>
  withCredentials(request, `${request.publicOrigin()}${app.prefix}/software/download/${downloadToken}`);

export function downloadRoutes(app: FastifyInstance, services: Services): void {
  const route = v1Router(app, 'Software');

  route.get('/software/download/:token', {
    operationId: 'downloadRelease',
    summary: 'Download a release',
    description:
      'The token of a download_url downloads that release, and an activation token the newest stable release of its ' +
      'software. Query parameters that begin with meta_, and those in meta[…], are stored with the record of the download.',
    endpoint: 'software.download',
    data: 'file',
    errors: ['download_not_found', 'download_denied', 'precondition_failed', 'range_not_satisfiable'],
    handler: ({ request, reply, params: { token }, actor }) =>
      sendDownload(request, reply, services, { find: findDownload, token, actor, meta: metaOf(request) }),
  });

  route.list('/software/:software_id/downloads', {
    operationId: 'countDownloads',
    summary: 'Count downloads by release and day, newest day first',
    endpoint: 'downloads.list',
    paging: BY_NUMBER,
    filter: downloadFilterShape,
    sends: { from: '2031-02-01' },
    record: DownloadCount,
    errors: ['software_not_found'],
    find: async ({ params, input: { filter, page }, actor }) =>
      unwrap(await countDownloads(services.store.read, params.software_id, filter, page, actor)),
    present: presentDownloadCount,
  });
}

const META = 'meta_';

/**
 * Returns the metadata in the query: `meta_wp_version=6.8` becomes `{ "wp_version": "6.8" }`, and so does
 * `meta[wp_version]=6.8`, which older updaters send.
 */
function metaOf(request: FastifyRequest): ActivationMeta | null {
  const parameters = parametersOf(request);
  const nested = activationMeta.read(parameters.meta);
  const entries = Object.entries(parameters).filter(([name]) => name.startsWith(META));
  const read = activationMeta.read({
    ...(nested.ok && nested.value),
    ...Object.fromEntries(entries.map(([name, value]) => [name.slice(META.length), value])),
  });
  return metaFrom(request.apiKey, read.ok ? read.value : null);
}
