import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { listSoftware } from '../../app/releases/software.ts';
import { findUpdate } from '../../app/releases/updates.ts';
import { removeSoftware } from '../../app/releases/uploads.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { channelOf } from '../../domain/release.ts';
import { SOFTWARE_DEFAULTS, softwareShape } from '../../domain/software.ts';
import { actorOf } from '../authentication.ts';
import { unwrap } from '../errors.ts';
import { parameterSchema } from '../parameter-schema.ts';
import { parametersOf } from '../parameters.ts';
import { createInput, updateInput } from '../requests.ts';
import type { Services } from '../services.ts';
import { downloadUrl } from './downloads.ts';
import { addPagingByIdHeaders, PAGING_HEADERS, pagingByIdOf, pagingByIdShape, WALKING } from './paging.ts';
import { presentSoftware, presentUpdate, success } from './present.ts';
import { routeSchema } from './route-schema.ts';
import { Nothing, Software, Update } from './schemas.ts';

const tags = ['Software'];
const path = { software_id: Type.String({ description: 'The id, an integer' }) };
type ById = { Params: { software_id: string } };

const updateQuery = {
  type: 'object',
  properties: {
    type: {
      type: 'string',
      default: SOFTWARE_DEFAULTS.type,
      description: 'Kind of client; every kind is answered alike',
    },
    activation_token: { type: 'string', description: 'Of the activation that asks' },
    channel: {
      type: 'string',
      default: 'stable',
      description: 'stable, rc, beta or alpha: its own releases and those of the more stable ones',
    },
  },
};

export function softwareRoutes(app: FastifyInstance, services: Services, downloadHours: number): void {
  const { store, execute, clock, downloadTokens } = services;

  app.get('/software', {
    config: { endpoint: 'software.list' },
    schema: routeSchema({
      summary: 'List software, newest first',
      description: WALKING,
      tags,
      query: parameterSchema(pagingByIdShape, 'query'),
      data: Type.Array(Software),
      headers: PAGING_HEADERS,
      errors: ['invalid_paging'],
    }),
    handler: async (request, reply) => {
      const paging = pagingByIdOf(request);
      const listed = await listSoftware(store.read, paging, actorOf(request));
      addPagingByIdHeaders(request, reply, paging, listed);
      return success(listed.items.map(presentSoftware));
    },
  });

  app.get<ById>('/software/:software_id', {
    config: { endpoint: 'software.read' },
    schema: routeSchema({
      summary: 'Get news of software',
      description:
        'What an updater asks: the newest version that is offered to an activation, and where to download it. ' +
        'Without an activation of a good license, only the news.',
      tags,
      path,
      query: updateQuery,
      data: Update,
      errors: ['software_not_found'],
    }),
    handler: async (request, reply) => {
      const { activation_token: token, channel } = parametersOf(request);
      const update = await findUpdate(
        { reads: store.read, downloadTokens, downloadTime: downloadHours * 3_600_000 },
        {
          software: request.params.software_id,
          activationToken: typeof token === 'string' ? token : null,
          channel: channelOf(channel),
        },
        actorOf(request),
        toDatetime(clock()),
      );
      const found = unwrap(update);
      if (token && !found.isHeld) await request.noteGuess('token', reply);
      return success(presentUpdate(found, (one) => downloadUrl(app, request, one)));
    },
  });

  app.post('/software', {
    config: { endpoint: 'software.create' },
    schema: routeSchema({
      summary: 'Create software',
      tags,
      body: parameterSchema(softwareShape, 'create'),
      data: Software,
      errors: ['software_slug_exists', 'invalid_values'],
    }),
    handler: async (request) => {
      const input = createInput(softwareShape, request);
      return success(presentSoftware(unwrap(await execute('create-software', input, actorOf(request)))));
    },
  });

  for (const method of ['PUT', 'PATCH', 'POST'] as const) {
    app.route<ById>({
      method,
      url: '/software/:software_id',
      config: { endpoint: 'software.update' },
      schema: routeSchema({
        summary: 'Update software',
        description: 'Changes what is sent. Null or an empty value clears what can be cleared.',
        tags,
        path,
        body: parameterSchema(softwareShape, 'update'),
        data: Software,
        errors: [
          'software_not_found',
          'software_slug_exists',
          'software_of_other_products',
          'invalid_values',
        ],
      }),
      handler: async (request) => {
        const input = { named: request.params.software_id, changes: updateInput(softwareShape, request) };
        return success(presentSoftware(unwrap(await execute('update-software', input, actorOf(request)))));
      },
    });
  }

  app.delete<ById>('/software/:software_id', {
    config: { endpoint: 'software.delete' },
    schema: routeSchema({
      summary: 'Delete software, its releases and their files',
      tags,
      path,
      data: Nothing,
      errors: ['software_not_found', 'software_of_other_products'],
    }),
    handler: async (request) => {
      unwrap(await removeSoftware(services, request.params.software_id, actorOf(request)));
      return success([]);
    },
  });
}
