import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Generator } from '../../domain/generator.ts';
import type { Services } from '../services.ts';
import { adminPageOf, pageQuery } from './paging.ts';
import { adminSchema, nullable, pageOf } from './route-schema.ts';

const tags = ['Generators'];

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

const present = (generator: Generator): Static<typeof GeneratorRecord> => ({
  id: generator.id,
  name: generator.name,
  charset: generator.charset,
  chunks: generator.chunks,
  chunk_length: generator.chunkLength,
  activations_limit: generator.activationsLimit,
  separator: generator.separator,
  prefix: generator.prefix,
  suffix: generator.suffix,
  expires_in: generator.expiresIn,
  created_at: generator.createdAt,
  updated_at: generator.updatedAt,
});

export function generatorRoutes(app: FastifyInstance, { store }: Services): void {
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
      const listed = await store.read.generators.list({ ...page, offset: 0 });
      return {
        items: listed.items.map(present),
        next: listed.more ? (listed.items.at(-1)?.id ?? null) : null,
        total: listed.total,
        total_is_more: false,
      };
    },
  });
}
