import assert from 'node:assert/strict';
import type { Api } from '../support/http/api.ts';
import { at, expect, found, NO_ID } from './expectation.ts';
import * as model from './model.ts';
import { CALLERS, type Operation } from './operations.ts';

/** The operations on software, releases and generators. They use the API key without limits. */

export async function softwareStep(
  api: Api,
  state: model.State,
  operation: Operation,
  now: number,
): Promise<string> {
  const softwareAt = (index: number) => at(state.software, index);
  const generatorAt = (index: number) => at(state.generators, index);
  switch (operation.do) {
    case 'make software': {
      const { name, products, access } = operation;
      const slug = name.toLowerCase();
      const answer = await api.call('POST', '/software', { json: { name, product_ids: products, access } });
      const make = () => {
        if (state.software.some((one) => one.slug === slug)) throw new model.Refused(409);
      };
      return expect(make, answer, (_, { id }) => {
        state.software.push({ id, name, slug, access, product_ids: products, releases: [] });
      });
    }
    case 'cover':
    case 'delete software': {
      const software = softwareAt(operation.software);
      const isDelete = operation.do === 'delete software';
      const json = isDelete ? undefined : { product_ids: operation.products };
      const answer = await api.call(isDelete ? 'DELETE' : 'PUT', `/software/${software?.id ?? NO_ID}`, {
        json,
      });
      return expect(
        () => found(software),
        answer,
        (said, data) => {
          if (isDelete) state.software = state.software.filter((one) => one !== said);
          else said.product_ids = operation.products;
          assert.deepEqual(isDelete ? data : data.product_ids, isDelete ? [] : operation.products);
        },
      );
    }
    case 'release': {
      const software = softwareAt(operation.software);
      const { version } = operation;
      const multipart = { version, file: new File([version], 'a.zip') };
      const answer = await api.call('POST', `/software/${software?.id ?? NO_ID}/releases`, { multipart });
      const make = () => {
        if (found(software).releases.some((one) => one.version === version)) throw new model.Refused(409);
      };
      return expect(
        make,
        answer,
        (_, { id }) => void software?.releases.push({ id, version, status: 'published' }),
      );
    }
    case 'set release':
    case 'delete release': {
      const software = softwareAt(operation.software);
      const release = at(software?.releases ?? [], operation.release);
      const isDelete = operation.do === 'delete release';
      const json = isDelete ? undefined : { status: operation.status };
      const where = `/software/${software?.id ?? NO_ID}/releases/${release?.id ?? NO_ID}`;
      const answer = await api.call(isDelete ? 'DELETE' : 'PUT', where, { json });
      return expect(
        () => found(release),
        answer,
        (said, data) => {
          if (!isDelete) said.status = operation.status;
          else if (software) software.releases = software.releases.filter((one) => one !== said);
          assert.deepEqual(isDelete ? data : data.status, isDelete ? [] : operation.status);
        },
      );
    }
    case 'make generator': {
      const { limit, days, length } = operation;
      const values = {
        name: 'G',
        charset: 'ABA',
        chunk_length: length,
        activations_limit: limit,
        expires_in: days,
      };
      const answer = await api.call('POST', '/generators', { json: { ...values, chunks: 1 } });
      return expect(
        () => ({ id: 0, ...values }),
        answer,
        (said, data) => {
          said.id = data.id;
          state.generators.push(said);
          assert.deepEqual([data.timesActivatedMax, data.expiresIn, data.chunkLength], [limit, days, length]);
        },
      );
    }
    case 'set generator':
    case 'get generator':
    case 'delete generator': {
      const generator = generatorAt(operation.generator);
      const method = { 'set generator': 'PUT', 'get generator': 'GET', 'delete generator': 'DELETE' }[
        operation.do
      ];
      const json = operation.do === 'set generator' ? { activations_limit: operation.limit } : undefined;
      const answer = await api.call(method, `/generators/${generator?.id ?? NO_ID}`, { json });
      return expect(
        () => found(generator),
        answer,
        (said, data) => {
          if (json) said.activations_limit = json.activations_limit;
          if (operation.do === 'delete generator')
            state.generators = state.generators.filter((one) => one !== said);
          else assert.deepEqual({ ...data, ...said }, data);
        },
      );
    }
    case 'generate':
      return generate(api, state, generatorAt(operation.generator), operation, now);
    default:
      throw new Error(`unknown operation: ${operation.do}`);
  }
}

async function generate(
  api: Api,
  state: model.State,
  generator: model.Generator | undefined,
  { amount, save, product: product_id }: { amount: number; save: boolean; product: number | null },
  now: number,
): Promise<string> {
  const json = { amount, save, product_id };
  const answer = await api.call('POST', `/generators/${generator?.id ?? NO_ID}/generate`, { json });
  const isOf = (length: number) => new RegExp(`^[AB]{${length}}$`);
  const make = () => {
    const { chunk_length } = found(generator);
    const taken = state.licenses.filter((one) => isOf(chunk_length).test(one.license_key)).length;
    if (amount > 2 ** chunk_length - taken) throw new model.Refused(422);
  };
  let keys: string[] = [];
  const result = await expect(make, answer, (_, data) => {
    keys = data;
    assert.equal(new Set(keys).size, amount);
    for (const one of keys) {
      assert.match(one, isOf(generator?.chunk_length as number));
      assert.ok(!state.licenses.some((other) => other.license_key === one), `${one} is taken`);
    }
  });
  if (!save || !generator) return result;
  for (const license_key of keys) {
    const { expires_in: valid_for, activations_limit } = generator;
    const values = { license_key, valid_for, activations_limit, status: 4, product_id };
    const made = model.createLicense(state, CALLERS[0] as model.Caller, values, now);
    made.id = (await api.ok('GET', `/licenses/${license_key}`)).id;
  }
  return result;
}
