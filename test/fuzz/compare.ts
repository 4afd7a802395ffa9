import assert from 'node:assert/strict';
import type { Api, Record_ } from '../support/http/api.ts';
import { softwareStep } from './compare-software.ts';
import { at, expect, NO_ID } from './expectation.ts';
import * as model from './model.ts';
import { CALLERS, type Operation } from './operations.ts';

/** Runs operations against the service and the model, and compares their answers. */
export interface Comparison {
  run(operation: Operation): Promise<string>;
  /** Compares all records. */
  finish(): Promise<void>;
}

const ENDPOINTS: Partial<Record<Operation['do'], [endpoint: string, access: 'read' | 'write']>> = {
  create: ['licenses.create', 'write'],
  update: ['licenses.update', 'write'],
  get: ['licenses.get', 'read'],
  delete: ['licenses.delete', 'write'],
  list: ['licenses.list', 'read'],
  walk: ['licenses.list', 'read'],
  activate: ['licenses.activate', 'read'],
  validate: ['licenses.validate', 'read'],
  deactivate: ['licenses.deactivate', 'read'],
  ask: ['software.read', 'read'],
};
const NO_TOKEN = 'f'.repeat(40);

/** @param apis a client for each caller */
export function compare(apis: readonly Api[], clock: { now: number }): Comparison {
  const state = model.emptyState();
  const tokens: string[] = [];
  const tokenOf = (index: number | null) => (index === null ? null : (at(tokens, index) ?? NO_TOKEN));
  const path = (key: string) => `/licenses/${encodeURIComponent(key)}`;
  const nowText = () => model.textOf(clock.now);

  const license = (one: model.License) => model.presentLicense(state, one, clock.now);
  function checkLicense(said: model.License, data: Record_): void {
    if (said.id === 0) said.id = data.id;
    assert.deepEqual(data, license(said));
  }
  function checkActivation([activation, of]: [model.Activation, model.License], data: Record_): void {
    if (activation.id === 0) {
      Object.assign(activation, { id: data.id, token: data.token });
      assert.match(data.token, /^[0-9a-f]{40}$/);
      assert.ok(!tokens.includes(data.token));
      tokens.push(data.token);
    }
    const { user_agent, ...rest } = data;
    assert.deepEqual(rest, { ...model.presentActivation(activation), license: license(of) });
  }
  const needs = (operation: Operation) => {
    const [endpoint, access] = ENDPOINTS[operation.do] ?? ['', 'read'];
    if (endpoint !== '') model.authorize(CALLERS[operation.caller] as model.Caller, endpoint, access);
  };

  async function run(operation: Operation): Promise<string> {
    const api = apis[ENDPOINTS[operation.do] ? operation.caller : 0] as Api;
    const caller = CALLERS[operation.caller] as model.Caller;
    const say =
      <T>(what: () => T) =>
      () => {
        needs(operation);
        return what();
      };
    const softwareAt = (index: number) => at(state.software, index);
    switch (operation.do) {
      case 'wait':
        clock.now += operation.seconds * 1_000;
        return '';
      case 'create': {
        const answer = await api.call('POST', '/licenses', { json: operation.values });
        return expect(
          say(() => model.createLicense(state, caller, operation.values, clock.now)),
          answer,
          checkLicense,
        );
      }
      case 'update': {
        const answer = await api.call('PUT', path(operation.key), { json: operation.values });
        return expect(
          say(() => model.updateLicense(state, caller, operation.key, operation.values, clock.now)),
          answer,
          checkLicense,
        );
      }
      case 'get': {
        const answer = await api.call('GET', path(operation.key));
        return expect(
          say(() => model.findLicense(state, caller, operation.key)),
          answer,
          (said, data) => {
            const { activations, ...rest } = data;
            checkLicense(said, rest);
            const valid = model.validOnes(state, said).sort((a, b) => b.id - a.id);
            assert.deepEqual(
              activations.map(({ user_agent, ...one }: Record_) => one),
              valid.map(model.presentActivation),
            );
          },
        );
      }
      case 'delete': {
        const answer = await api.call('DELETE', path(operation.key));
        return expect(
          say(() => model.deleteLicense(state, caller, operation.key)),
          answer,
          (_, data) => assert.deepEqual(data, []),
        );
      }
      case 'activate': {
        const { key, label, meta } = operation;
        const token = tokenOf(operation.token);
        const software = operation.software === null ? null : (softwareAt(operation.software)?.id ?? NO_ID);
        const answer = await api.call('POST', `/licenses/activate/${encodeURIComponent(key)}`, {
          json: { token, label, meta, software },
        });
        return expect(
          say(() => model.activate(state, caller, { key, token, label, meta, software }, clock.now)),
          answer,
          checkActivation,
        );
      }
      case 'validate':
      case 'deactivate': {
        const token = tokenOf(operation.token) as string;
        const answer = await api.call('GET', `/licenses/${operation.do}/${token}`);
        return expect(
          say(() =>
            operation.do === 'validate'
              ? model.validate(state, caller, token)
              : model.deactivate(state, caller, token, clock.now),
          ),
          answer,
          checkActivation,
        );
      }
      case 'list': {
        const { filter, perPage, page } = operation;
        const query = new URLSearchParams({ per_page: String(perPage), page: String(page) });
        for (const status of filter.status ?? []) query.append('status[]', String(status));
        if (filter.product_id !== undefined) query.set('product_id', String(filter.product_id));
        if (filter.license_key !== undefined) query.set('license_key', filter.license_key);
        const answer = await api.call('GET', `/licenses?${query}`);
        return expect(
          say(() => model.listLicenses(state, caller, filter)),
          answer,
          (said, data) => {
            assert.deepEqual(data, said.slice((page - 1) * perPage, page * perPage).map(license));
            assert.equal(answer.headers.get('x-wp-total'), String(said.length));
            assert.equal(answer.headers.get('x-wp-totalpages'), String(Math.ceil(said.length / perPage)));
          },
        );
      }
      case 'walk': {
        const seen: Record_[] = [];
        let answer = await api.call('GET', `/licenses?per_page=${operation.perPage}`);
        for (let next: string | undefined = 'first'; next && answer.status === 200; ) {
          seen.push(...answer.body.data);
          next = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
          if (next) answer = await api.call('GET', next.slice(api.root.length));
        }
        return expect(
          say(() => model.listLicenses(state, caller, {})),
          answer,
          (said) => assert.deepEqual(seen, said.map(license)),
        );
      }
      case 'ask': {
        const id = softwareAt(operation.software)?.id ?? NO_ID;
        const token = tokenOf(operation.token);
        const answer = await api.call('GET', `/software/${id}`, {
          query: token === null ? {} : { activation_token: token },
        });
        return expect(
          say(() => model.ask(state, caller, id, token, clock.now)),
          answer,
          (said, data) => {
            const { name, version, license: licenseKey, download_url, details } = data;
            const found = {
              name,
              version,
              license: licenseKey,
              hasDownload: download_url !== '',
              versions: details.versions,
            };
            assert.deepEqual(found, said);
            assert.equal(details.stable_tag, version);
          },
        );
      }
      default:
        return softwareStep(api, state, operation, clock.now);
    }
  }

  return {
    run,
    async finish() {
      const all = model.listLicenses(state, CALLERS[0] as model.Caller, {});
      const [api] = apis as [Api];
      assert.deepEqual(
        await api.ok('GET', '/licenses', { query: { per_page: 1000 } }),
        all.map(license),
        nowText(),
      );
      for (const { license_key } of all) await run({ do: 'get', key: license_key, caller: 0 });
      for (const token of tokens.keys()) await run({ do: 'validate', token, caller: 0 });
    },
  };
}
