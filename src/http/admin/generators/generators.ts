import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { exampleKeys } from '../../../app/batches/candidate-keys.ts';
import { generateKeys } from '../../../app/batches/generate-keys.ts';
import { findGenerator, listGenerators } from '../../../app/generators/generators.ts';
import {
  checkTemplate,
  entropyBits,
  fullGenerateShape,
  generatorShape,
  possibleKeys,
  templateShape,
  WEAKNESSES,
  weaknessesOf,
} from '../../../domain/generator.ts';
import { LICENSE_SOURCE } from '../../../domain/licenses/license.ts';
import { record } from '../../docs/components.ts';
import { unwrap } from '../../errors.ts';
import { create, update } from '../../input.ts';
import type { Services } from '../../services.ts';
import { answerLines } from '../batches/lines.ts';
import { pageById, pageOf, pageQuery } from '../paging.ts';
import { adminRouter, etag, nullable, withEtag } from '../route.ts';
import { licenseTerms } from '../terms.ts';

const GeneratorRecord = record('Generator', {
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
  ...licenseTerms,
  created_at: Type.String(),
  updated_at: nullable(Type.String()),
  etag,
});

const Preview = Type.Object({
  /** Keys that the generator could draw; they are not stored. */
  examples: Type.Array(Type.String()),
  /** The number of different keys, in decimal digits: it may exceed the range of a number. */
  possible: Type.String(),
  entropy_bits: Type.Number(),
  warnings: Type.Array(
    Type.Object({
      kind: Type.Enum(WEAKNESSES),
      /** The characters that cause the warning; "" if it is not about characters. */
      characters: Type.String(),
    }),
  ),
});
const EXAMPLES = 5;

export function generatorRoutes(app: FastifyInstance, services: Services): void {
  const { store } = services;
  const present = withEtag('generator', store);
  const route = adminRouter(app, 'Generators');

  route.get('/generators', {
    operationId: 'listGenerators',
    summary: 'List generators, newest first',
    session: 'records.read',
    input: pageQuery(),
    data: pageOf(GeneratorRecord),
    async handler({ input: { page }, actor }) {
      const listed = await listGenerators(store.read, page, actor);
      return pageById(listed.items.map(present), listed);
    },
  });

  route.get('/generators/:generator_id', {
    operationId: 'getGenerator',
    summary: 'Get a generator',
    session: 'records.read',
    data: GeneratorRecord,
    handler: async ({ params, actor }) =>
      present(unwrap(await findGenerator(store.read, params.generator_id, actor))),
  });

  route.post('/generators', {
    operationId: 'createGenerator',
    summary: 'Create a generator',
    session: 'generators.write',
    repeatable: true,
    input: create(generatorShape),
    data: GeneratorRecord,
    handler: async ({ input, execute }) => present(await execute('create-generator', input)),
  });

  route.patch('/generators/:generator_id', {
    operationId: 'updateGenerator',
    summary: 'Update the values of a generator that are sent',
    session: 'generators.write',
    edits: 'generator',
    input: update(generatorShape),
    data: GeneratorRecord,
    handler: async ({ params, input: changes, execute }) =>
      present(await execute('update-generator', { named: params.generator_id, changes })),
  });

  route.delete('/generators/:generator_id', {
    operationId: 'deleteGenerator',
    summary: 'Delete a generator and keep its licenses',
    session: 'generators.delete',
    handler: ({ params, execute }) => execute('delete-generator', { named: params.generator_id }),
  });

  route.post('/generators/preview', {
    operationId: 'previewGenerator',
    summary: 'Preview the keys of a generator; nothing is stored',
    session: 'records.read',
    input: create(templateShape),
    data: Preview,
    handler({ input }) {
      const template = { ...input, separator: input.separator ?? '' };
      unwrap(checkTemplate(template));
      return {
        examples: exampleKeys(template, EXAMPLES),
        possible: String(possibleKeys(template)),
        entropyBits: Math.round(entropyBits(template) * 10) / 10,
        warnings: weaknessesOf(template),
      };
    },
  });

  route.post('/generators/:generator_id/generate', {
    operationId: 'generateKeys',
    summary: 'Generate license keys',
    description:
      'With save, the keys are stored as licenses: all of them or none. The result is {"count":n,"saved":true,"keys":[…]}. ' +
      'If the client disconnects before the last step, nothing is stored.',
    session: 'licenses.generate',
    repeatable: true,
    input: create(fullGenerateShape),
    data: 'lines',
    handler: ({ request, reply, params, input, actor, repeated }) =>
      answerLines(request, reply, async ({ progress, signal }) => {
        const onProgress = (made: number) => {
          signal.throwIfAborted();
          progress(made, input.amount);
        };
        const named = params.generator_id;
        const keys = unwrap(
          await generateKeys(
            services,
            { named, input, source: LICENSE_SOURCE.generator, request: repeated, onProgress },
            actor,
          ),
        );
        return { count: keys.length, saved: input.save === true, keys };
      }),
  });
}
