import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { exampleKeys } from '../../../app/batches/candidate-keys.ts';
import { generateKeys } from '../../../app/batches/generate-keys.ts';
import { findGenerator, listGenerators } from '../../../app/generators/generators.ts';
import {
  checkTemplate,
  entropyBits,
  generateShape,
  generatorShape,
  possibleKeys,
  templateShape,
  weaknessesOf,
} from '../../../domain/generator.ts';
import { LICENSE_SOURCE } from '../../../domain/license.ts';
import { unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { consoleActorOf } from '../../people/session.ts';
import { presenter } from '../../presenter.ts';
import { createInput, updateInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { answerLines } from '../batches/lines.ts';
import { adminPageOf, nextOf, pageQuery } from '../paging.ts';
import { adminSchema, nullable, pageOf } from '../route-schema.ts';

const tags = ['Generators'];
const path = { generator_id: Type.Integer() };
type ById = { Params: { generator_id: string } };

export const GeneratorRecord = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  charset: Type.String(),
  chunks: Type.Integer(),
  chunk_length: Type.Integer(),
  activations_limit: Type.Integer(),
  separator: Type.String(),
  prefix: nullable(Type.String()),
  suffix: nullable(Type.String()),
  expires_in: Type.Integer(),
  created_at: Type.String(),
  updated_at: nullable(Type.String()),
});

const present = presenter(GeneratorRecord);

const Preview = Type.Object({
  /** Some of its keys; none of them is kept. */
  examples: Type.Array(Type.String()),
  /** How many keys it can give: decimal digits, for it may be past what a number holds. */
  possible: Type.String(),
  entropy_bits: Type.Number(),
  warnings: Type.Array(
    Type.Object({
      kind: Type.Union([
        Type.Literal('look_alikes'),
        Type.Literal('repeated'),
        Type.Literal('white_space'),
        Type.Literal('guessable'),
      ]),
      /** Those at fault, where it is characters. */
      characters: Type.String(),
    }),
  ),
});
const EXAMPLES = 5;

export function generatorRoutes(app: FastifyInstance, services: Services): void {
  const { store, execute } = services;

  app.get('/generators', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'listGenerators',
      summary: 'List generators, newest first',
      tags,
      query: pageQuery(),
      data: pageOf(GeneratorRecord),
    }),
    handler: async (request) => {
      const page = adminPageOf(request);
      const listed = await listGenerators(store.read, { ...page, offset: 0 }, consoleActorOf(request));
      return {
        items: listed.items.map(present),
        next: nextOf(listed),
        total: listed.total,
        total_is_more: false,
      };
    },
  });

  app.get<ById>('/generators/:generator_id', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'getGenerator',
      summary: 'Get a generator',
      tags,
      path,
      data: GeneratorRecord,
    }),
    handler: async (request) =>
      present(unwrap(await findGenerator(store.read, request.params.generator_id, consoleActorOf(request)))),
  });

  app.post('/generators', {
    config: { session: 'generators.write' },
    schema: adminSchema({
      operationId: 'createGenerator',
      summary: 'Create a generator',
      tags,
      body: parameterSchema(generatorShape, 'create'),
      data: GeneratorRecord,
    }),
    handler: async (request) => {
      const input = createInput(generatorShape, request);
      return present(unwrap(await execute('create-generator', input, consoleActorOf(request))));
    },
  });

  app.patch<ById>('/generators/:generator_id', {
    config: { session: 'generators.write' },
    schema: adminSchema({
      operationId: 'updateGenerator',
      summary: 'Change what is sent of a generator',
      tags,
      path,
      body: parameterSchema(generatorShape, 'update'),
      data: GeneratorRecord,
    }),
    handler: async (request) => {
      const input = { named: request.params.generator_id, changes: updateInput(generatorShape, request) };
      return present(unwrap(await execute('update-generator', input, consoleActorOf(request))));
    },
  });

  app.delete<ById>('/generators/:generator_id', {
    config: { session: 'generators.delete' },
    schema: adminSchema({
      operationId: 'deleteGenerator',
      summary: 'Delete a generator; its licenses stay',
      tags,
      path,
      data: Type.Object({}),
    }),
    handler: async (request) => {
      const named = request.params.generator_id;
      unwrap(await execute('delete-generator', { named }, consoleActorOf(request)));
      return {};
    },
  });

  app.post('/generators/preview', {
    config: { session: 'records.read' },
    schema: adminSchema({
      operationId: 'previewGenerator',
      summary: 'Look at what keys a generator would make; nothing is kept',
      tags,
      body: parameterSchema(templateShape, 'create'),
      data: Preview,
    }),
    handler: async (request): Promise<Static<typeof Preview>> => {
      const { separator, ...input } = createInput(templateShape, request);
      const template = { ...input, separator: separator ?? '' };
      unwrap(checkTemplate(template));
      return {
        examples: exampleKeys(template, EXAMPLES),
        possible: String(possibleKeys(template)),
        entropy_bits: Math.round(entropyBits(template) * 10) / 10,
        warnings: weaknessesOf(template),
      };
    },
  });

  app.post<ById>('/generators/:generator_id/generate', {
    config: { session: 'licenses.generate' },
    schema: adminSchema({
      operationId: 'generateKeys',
      summary: 'Generate license keys',
      description:
        'With save, stores them as licenses: all of them or none. The result is {"count":n,"saved":true,"keys":[…]}. ' +
        'Where the client goes away before the last step, none is made.',
      tags,
      path,
      body: parameterSchema(generateShape, 'create'),
      data: 'lines',
    }),
    handler: (request, reply) => {
      const input = createInput(generateShape, request);
      const actor = consoleActorOf(request);
      return answerLines(request, reply, async ({ progress, signal }) => {
        const onProgress = (made: number) => {
          signal.throwIfAborted();
          progress(made, input.amount);
        };
        const named = request.params.generator_id;
        const asked = { named, input, source: LICENSE_SOURCE.generator, onProgress };
        const keys = unwrap(await generateKeys(services, asked, actor));
        return { count: keys.length, saved: input.save === true, keys };
      });
    },
  });
}
