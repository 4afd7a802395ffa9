import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Errors } from 'typebox/schema';
import { EVENT_TYPES, TEST_EVENT } from '../../../src/domain/events/event.ts';
import { ERROR_EXAMPLES } from '../../../src/http/dlm-v1/error-examples.ts';
import type { Record_ } from '../../support/http/api.ts';
import { fieldsOf, resolved } from '../../support/http/document.ts';
import { OPERATIONS } from '../../support/http/operations.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const { status, body: sent } = await api.call('GET', '/openapi.json', { credentials: null });
const document = resolved(sent);

const allOperations = (): [name: string, operation: Record_][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as object).map(([method, operation]): [string, Record_] => [
      `${method} ${path}`,
      operation,
    ]),
  );
const operations = () => allOperations().filter(([, { servers }]) => !servers);
const clientOperations = () => allOperations().filter(([, { servers }]) => servers);

suite('openapi.json', () => {
  test('needs no credentials and is valid OpenAPI 3.1', async () => {
    assert.equal(status, 200);
    assert.match(document.openapi, /^3\.1\./);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(sent));
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(validator.version, '3.1');
  });
  test('documents every route of the contract, each with a unique name', () => {
    for (const [path, names] of Object.entries(OPERATIONS)) {
      const documented = Object.entries<Record_>(document.paths[path] ?? {});
      assert.deepEqual(
        Object.fromEntries(documented.map(([method, one]) => [method, one.operationId])),
        names,
        path,
      );
    }
    const names = allOperations().map(([, { operationId }]) => operationId);
    assert.equal(new Set(names).size, names.length);
  });
  test('documents no route that does not exist', async () => {
    assert.deepEqual(Object.keys(document.paths).sort(), Object.keys(OPERATIONS).sort());
    for (const [name, { servers }] of clientOperations()) {
      assert.deepEqual(servers, [{ url: '/client/v1' }]);
      const [method = '', path] = name.split(' ');
      const answer = await fetch(new URL(`/client/v1${path}`, api.root), { method });
      assert.notEqual(answer.status, 404, name);
    }
    for (const [name] of operations()) {
      const [method = '', path = ''] = name.split(' ');
      const answer = await api.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '0'));
      assert.notEqual(answer.body.code, 'rest_no_route', name);
    }
  });
  test('has an example for every documented error, in the response with its status', () => {
    const missing = new Set(Object.keys(ERROR_EXAMPLES));
    for (const [name, { responses }] of operations()) {
      for (const [code, response] of Object.entries(responses as Record<string, Record_>)) {
        if (Number(code) < 400) continue;
        const { examples } = response.content['application/json'];
        for (const [error, { value }] of Object.entries(examples as Record<string, Record_>)) {
          missing.delete(error);
          assert.deepEqual(value, ERROR_EXAMPLES[error as keyof typeof ERROR_EXAMPLES], `${name} ${error}`);
          assert.equal(String(value.data.status), code);
        }
      }
    }
    assert.deepEqual([...missing], []);
  });
  test('documents 200, 401, 403, 429, 500 and 503 for every operation', () => {
    for (const [name, { responses }] of operations()) {
      for (const code of ['200', '401', '403', '429', '500', '503'])
        assert.ok(responses[code], `${name} ${code}`);
    }
  });
  test('has no operation without credentials', () => {
    for (const [name, { security }] of operations()) assert.notDeepEqual(security, [], name);
    const names = Object.keys(document.components.securitySchemes);
    assert.ok(document.security.length > 0);
    for (const choice of document.security)
      for (const name of Object.keys(choice)) assert.ok(names.includes(name), name);
  });
  test('describes each operation, the parameters of its path, and its content types', () => {
    for (const [name, { summary, parameters = [], requestBody }] of operations()) {
      assert.ok(summary, name);
      const inPath = parameters.filter((one: Record_) => one.in === 'path').map((one: Record_) => one.name);
      assert.deepEqual(
        inPath,
        [...name.matchAll(/\{(\w+)\}/g)].map(([, it]) => it),
        name,
      );
      const method = name.split(' ')[0] ?? '';
      if (method === 'get' || method === 'delete') continue;
      const types = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
      assert.deepEqual(Object.keys(requestBody.content), types, name);
    }
  });
  test('documents a response for every status that the service answers', async () => {
    const { license_key } = await api.license();
    const { token } = await api.activation(license_key);
    const seen: [operation: string, method: string, path: string, options?: object][] = [
      ['get /licenses', 'GET', '/licenses?status=9'],
      ['post /licenses', 'POST', '/licenses', { json: { charset: 'A' } }],
      ['put /licenses/{license_key}', 'PUT', `/licenses/${license_key}`, { json: { status: 9 } }],
      ['get /licenses/activate/{license_key}', 'GET', `/licenses/activate/${license_key}?token=${token}`],
      ['get /licenses/activate/{license_key}', 'GET', `/licenses/activate/${license_key}?token=%00`],
      ['post /generators/{generator_id}/generate', 'POST', '/generators/1/generate', { json: {} }],
      ['put /generators/{generator_id}', 'PUT', '/generators/1', { json: { name: '' } }],
      ['get /software/{software_id}', 'GET', '/software/999'],
      ['post /software', 'POST', '/software', { json: {} }],
      ['post /software/{software_id}/releases', 'POST', '/software/999/releases', { json: {} }],
      ['get /software/download/{token}', 'GET', '/software/download/forged'],
      ['get /software/download/{token}', 'GET', `/software/download/${token}`],
    ];
    const all = Object.fromEntries(operations());
    for (const [name, method, path, options] of seen) {
      const answer = await api.call(method, path, options);
      assert.ok(all[name]?.responses[answer.status], `${name} ${answer.status}`);
    }
  });
  test('names the cursor of the lists that have one', () => {
    const lists = operations().filter(([, { responses }]) => responses['200']?.headers?.['X-WP-Total']);
    const withCursor = lists.filter(([, { parameters }]) =>
      parameters.some(({ name }: Record_) => name === 'before'),
    );
    const names = (some: typeof lists) => some.map(([name]) => name).sort();
    assert.deepEqual(names(withCursor), ['get /generators', 'get /licenses', 'get /software']);
    assert.equal(lists.length, 6);
    for (const [, { description }] of withCursor) assert.match(description, /follow the next links/);
  });
  test('lists every parameter of a license, a generator, software and a release', () => {
    const taken = (path: string, method: string) =>
      Object.keys(
        document.paths[path][method].requestBody.content['application/json'].schema.properties,
      ).sort();
    const license = [
      'activations_limit',
      'borrow_max_hours',
      'entitlements',
      'expires_at',
      'lease_days',
      'lease_grace_days',
      'lease_refresh_hours',
      'license_key',
      'match',
      'offline_lease_days',
      'order_id',
      'product_id',
      'reclaim_after_days',
      'seat_ttl',
      'status',
      'takeovers_per_month',
      'user_id',
      'valid_for',
    ];
    assert.deepEqual(taken('/licenses/{license_key}', 'put'), license);
    const generator = [
      'activations_limit',
      'borrow_max_hours',
      'charset',
      'chunk_length',
      'chunks',
      'entitlements',
      'expires_in',
      'lease_days',
      'lease_grace_days',
      'lease_refresh_hours',
      'match',
      'name',
      'offline_lease_days',
      'prefix',
      'reclaim_after_days',
      'seat_ttl',
      'separator',
      'suffix',
      'takeovers_per_month',
    ];
    assert.deepEqual(taken('/generators', 'post'), generator);
    const software = [
      'access',
      'banners',
      'icons',
      'name',
      'product_ids',
      'requires',
      'requires_php',
      'slug',
      'tested',
      'type',
      'url',
    ];
    assert.deepEqual(taken('/software', 'post'), software);
    const release = ['changelog', 'channel', 'file', 'rollout', 'status', 'upgrade_notice', 'version'];
    assert.deepEqual(taken('/software/{software_id}/releases', 'post'), release);
    const generate = ['amount', 'order_id', 'product_id', 'save', 'status', 'user_id'];
    assert.deepEqual(taken('/generators/{generator_id}/generate', 'post'), generate);
  });
  test('describes how the server reads each object and list in a query or a form', () => {
    for (const [name, { parameters = [], requestBody }] of operations()) {
      for (const { in: place, name: parameter, schema, style, explode } of parameters) {
        if (place !== 'query') continue;
        if (schema.type === 'object') assert.deepEqual([style, explode], ['deepObject', true], name);
        assert.equal(schema.type === 'array', parameter.endsWith('[]'), `${name} ${parameter}`);
        assert.ok(!schema.anyOf, `${name} ${parameter}`);
      }
      for (const [type, { schema, encoding = {} }] of Object.entries<Record_>(requestBody?.content ?? {})) {
        if (type === 'application/json') continue;
        for (const { properties = {} } of (schema.anyOf ?? [schema]) as Record_[])
          for (const [property, { type: kind }] of Object.entries<Record_>(properties)) {
            const isOf = (one: string) => [kind].flat().includes(one);
            if (isOf('object')) assert.equal(encoding[property].style, 'deepObject', `${name} ${property}`);
            assert.equal(isOf('array'), property.endsWith('[]'), `${name} ${property}`);
          }
      }
    }
    const names = document.paths['/licenses'].get.parameters.map(({ name }: Record_) => name);
    assert.ok(names.includes('status') && names.includes('status[]'));
  });
  test('has an example for each 200 response that matches its schema', () => {
    for (const [name, { responses }] of operations()) {
      const media = responses[200].content['application/json'];
      if (!media) {
        assert.match(name, /^get (\/software\/download\/\{token\}|\/licenses\/\{license_key\}\/file)$/);
        continue;
      }
      const examples = Object.entries<Record_>(media.examples);
      assert.ok(examples.length > 0, name);
      for (const [example, { value }] of examples) {
        assert.deepEqual(Errors(media.schema, value)[1], [], `${name} ${example}`);
        for (const [field] of Object.entries(value.data))
          assert.ok(
            Array.isArray(value.data) || fieldsOf(media.schema.properties.data).includes(field),
            `${name} ${field}`,
          );
      }
    }
  });
  test('has each event type, when it is sent, and an example that matches its schema', () => {
    assert.deepEqual(Object.keys(document.webhooks), [...EVENT_TYPES, TEST_EVENT]);
    for (const [type, { post }] of Object.entries<Record_>(document.webhooks)) {
      const { schema, example } = post.requestBody.content['application/json'];
      assert.ok(post.summary, type);
      assert.equal(example.type, type);
      assert.deepEqual(Errors(schema, example)[1], [], type);
    }
  });
  test('describes its tags, and for each error what it means and what to do', () => {
    const tags = document.tags.map(({ name }: Record_) => name);
    for (const { description } of document.tags) assert.ok(description);
    for (const [name, { tags: own, responses }] of operations()) {
      assert.ok(tags.includes(own[0]), name);
      for (const { content } of Object.values<Record_>(responses))
        for (const { summary, description, value } of Object.values<Record_>(
          content?.['application/json']?.examples ?? {},
        ))
          if (!value.success) assert.ok(summary && description, `${name} ${value.message}`);
    }
  });
  test('has the proof, matching examples and error advice for each operation of programs without a secret', () => {
    const { securitySchemes } = document.components;
    const withoutToken: string[] = [];
    for (const [name, { summary, description, security, responses }] of clientOperations()) {
      assert.ok(summary && description, name);
      if (security.length === 0) withoutToken.push(name);
      for (const choice of security)
        for (const one of Object.keys(choice)) assert.ok(securitySchemes[one], `${name} ${one}`);
      const ofBody = name.startsWith('post') ? ['413', '422'] : [];
      for (const code of [...ofBody, '429', '500', '503']) assert.ok(responses[code], `${name} ${code}`);
      for (const [code, { content = {} }] of Object.entries<Record_>(responses)) {
        const type = Number(code) < 400 ? 'application/json' : 'application/problem+json';
        for (const [example, { summary, description, value }] of Object.entries<Record_>(
          content[type]?.examples ?? {},
        )) {
          assert.deepEqual(Errors(content[type].schema, value)[1], [], `${name} ${example}`);
          if (Number(code) < 400) continue;
          assert.ok(summary && description, `${name} ${example}`);
          assert.equal(String(value.status), code);
          for (const field of Object.keys(value))
            assert.ok(content[type].schema.properties[field], `${name} ${example} ${field}`);
        }
      }
    }
    const offline = ['post /offline-activate', 'post /offline-deactivate'];
    assert.deepEqual(withoutToken, ['post /activate', ...offline, 'get /revocations']);
  });
  test('stays under 290 kB, a third of its size without components', () => {
    // The client API, seats, entitlements and leases take 44 kB; events and their examples take 72 kB; nulls take 5 kB.
    assert.ok(JSON.stringify(sent).length < 290_000, `${JSON.stringify(sent).length}`);
    for (const kind of ['examples', 'headers', 'parameters', 'requestBodies', 'responses', 'schemas'])
      assert.ok(Object.keys(sent.components[kind]).length > 3, kind);
  });
});
