import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { listSoftware } from '../../app/releases/software.ts';
import { type Update as FoundUpdate, findUpdate } from '../../app/releases/updates.ts';
import { removeSoftware } from '../../app/releases/uploads.ts';
import { isLikePlugin } from '../../domain/api-key.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { TOKEN } from '../../domain/example-records.ts';
import { channelOf } from '../../domain/releases/release.ts';
import { SOFTWARE_DEFAULTS, softwareShape } from '../../domain/releases/software.ts';
import { unwrap } from '../errors.ts';
import { create, type Input, update } from '../input.ts';
import { type Parameters, parametersOf } from '../parameters.ts';
import type { Services } from '../services.ts';
import { downloadUrl } from './downloads.ts';
import { BY_ID } from './paging.ts';
import { audienceAt, presentSoftware, presentUpdate } from './present.ts';
import { UPDATING, v1Router } from './route.ts';
import { Software, Update } from './schemas.ts';

/** Unlike other input, an invalid value is ignored, not refused. */
const updateQuery: Input<Parameters> = {
  schema: {
    querystring: {
      type: 'object',
      properties: {
        type: {
          type: 'string',
          default: SOFTWARE_DEFAULTS.type,
          description: 'The kind of client; every kind gets the same answer',
        },
        activation_token: { type: 'string', description: 'The activation that asks' },
        channel: {
          type: 'string',
          default: 'stable',
          description: 'stable, rc, beta or alpha. Each includes the releases of the more stable channels',
        },
        changelog_from: {
          type: 'string',
          description: 'The highest version whose changelog is sent; the next link has it',
        },
      },
    },
  },
  read: parametersOf,
};

export function softwareRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock, downloadTokens, settings } = services;
  const { downloadHours } = settings;
  const audience = audienceAt(clock);
  const route = v1Router(app, 'Software');

  route.list('/software', {
    operationId: 'listSoftware',
    summary: 'List software, newest first',
    endpoint: 'software.list',
    paging: BY_ID,
    record: Software,
    find: ({ input, actor }) => listSoftware(store.read, input.page, actor),
    present: presentSoftware,
  });

  route.get('/software/:software_id', {
    operationId: 'getUpdate',
    summary: 'Get the update information of software',
    description:
      'For updaters: the newest version that the activation is offered, and where to download it. Without an activation ' +
      'of a valid license, there is no download.',
    endpoint: 'software.read',
    input: updateQuery,
    sends: { activation_token: TOKEN, channel: 'stable' },
    data: Update,
    errors: ['software_not_found'],
    headers: { Link: Type.String({ description: 'The rest of the changelogs, if they did not fit' }) },
    async handler({ request, reply, params, input, actor }) {
      const { activation_token: token, channel, changelog_from: from } = input;
      const activationToken = typeof token === 'string' ? token : null;
      const changelogFrom = typeof from === 'string' ? from : null;
      const found = unwrap(
        await findUpdate(
          { reads: store.read, downloadTokens, downloadHours },
          { software: params.software_id, activationToken, channel: channelOf(channel), changelogFrom },
          actor,
          toDatetime(clock()),
        ),
      );
      if (token && !found.isHeld) await request.noteGuess('token', reply);
      addChangelogLink(request, reply, found);
      const changelog = await changelogOf(found, request);
      const addressOf = (downloadToken: string) => downloadUrl(app, request, downloadToken);
      return presentUpdate(found, changelog, addressOf, audience(request));
    },
  });

  route.post('/software', {
    operationId: 'createSoftware',
    summary: 'Create software',
    endpoint: 'software.create',
    input: create(softwareShape),
    sends: { name: 'Acme Editor', slug: 'acme-editor', product_ids: [12] },
    data: Software,
    errors: ['software_slug_exists', 'invalid_values'],
    handler: async ({ input, execute }) => presentSoftware(await execute('create-software', input)),
  });

  route.update('/software/:software_id', {
    operationId: 'updateSoftware',
    summary: 'Update software',
    description: UPDATING,
    endpoint: 'software.update',
    input: update(softwareShape),
    sends: { tested: '6.8' },
    data: Software,
    errors: ['software_not_found', 'software_slug_exists', 'software_of_other_products', 'invalid_values'],
    handler: async ({ params, input: changes, execute }) =>
      presentSoftware(await execute('update-software', { named: params.software_id, changes })),
  });

  route.delete('/software/:software_id', {
    operationId: 'deleteSoftware',
    summary: 'Delete software, its releases and their files',
    endpoint: 'software.delete',
    errors: ['software_not_found', 'software_of_other_products'],
    handler: async ({ params, actor }) => unwrap(await removeSoftware(services, params.software_id, actor)),
  });
}

/** Clients of the plugin show the changelog as HTML. The documented API sends what is stored. */
async function changelogOf({ changelogs }: FoundUpdate, { apiKey }: FastifyRequest): Promise<string> {
  if (!isLikePlugin(apiKey)) return changelogs.map(({ text }) => text).join('\n\n');
  const { changelogHtml } = await import('../releases/changelog.ts');
  return changelogHtml(changelogs);
}

/** Adds a link to the same answer with the changelogs that did not fit, without credentials. */
function addChangelogLink(
  request: FastifyRequest,
  reply: FastifyReply,
  { nextChangelog }: FoundUpdate,
): void {
  if (nextChangelog === null) return;
  const { activation_token, channel } = parametersOf(request);
  const kept = Object.entries({ activation_token, channel, changelog_from: nextChangelog });
  const query = new URLSearchParams(
    kept.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const [path] = request.url.split('?');
  reply.header('link', `<${request.publicOrigin()}${path}?${query}>; rel="next"`);
}
