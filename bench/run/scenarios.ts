import type { Request } from './connection.ts';
import { ACTIVATIONS, keyOf, tokenOf } from './dataset.ts';
import type { Questions } from './load.ts';
import { AUTHORIZATION } from './session.ts';

export interface Scenario extends Questions {
  /** Returns a request that changes nothing which the scenario needs, and whose answer is like the others'. */
  sample(): Request;
  /** Returns how many activations are missing for a turn of that many requests. */
  lacks?(requests: number): number;
}

const HEAD = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${AUTHORIZATION}\r\nUser-Agent: acme/2.0 (bench)\r\n`;
const ROOT = '/wp-json/dlm/v1';
const PER_PAGE = 30;
const TOKEN = /"token":"([0-9a-f]{40})"/;

export const get = (path: string): Request => `GET ${ROOT}${path} ${HEAD}\r\n`;
export function post(path: string, json: object): Request {
  const body = JSON.stringify(json);
  return `POST ${ROOT}${path} ${HEAD}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

const below = (n: number): number => 1 + Math.floor(Math.random() * n);

/** Returns the scenarios by name. They choose licenses and their activations at random. */
export function scenariosOf(licenses: number) {
  /** Tokens of the activations made here and not yet deactivated. */
  const tokens: string[] = [];
  const remember = (text: string, request: Request) => {
    const token = request.includes('/licenses/activate/') ? TOKEN.exec(text)?.[1] : undefined;
    if (token) tokens.push(token);
  };
  const run = Date.now().toString(36);
  let created = 0;
  const deepPage = Math.max(1, Math.floor((licenses * 0.9) / PER_PAGE));
  const same = (next: () => Request): Scenario => ({ next, sample: next });

  const validate = () => get(`/licenses/validate/${tokenOf(below(licenses), below(ACTIVATIONS) - 1)}`);
  const read = () => get(`/licenses/${keyOf(below(licenses))}`);
  const activate = () => get(`/licenses/activate/${keyOf(below(licenses))}?label=Bench&meta%5Bos%5D=linux`);
  const deactivate = () => {
    const token = tokens.pop();
    return token === undefined ? null : get(`/licenses/deactivate/${token}`);
  };
  const create = () =>
    post('/licenses', {
      license_key: `NEW-${run}-${created++}`,
      status: 3,
      valid_for: 0,
      activations_limit: 0,
    });
  return {
    validate: same(validate),
    get: same(read),
    activate: { next: activate, onAnswer: remember, sample: activate },
    deactivate: {
      next: deactivate,
      // The answer to an activation has the same fields, and nearly the same bytes.
      sample: activate,
      lacks: (requests) => Math.max(0, requests - tokens.length),
    },
    list: same(() => get(`/licenses?per_page=${PER_PAGE}`)),
    list_deep: same(() => get(`/licenses?per_page=${PER_PAGE}&page=${deepPage}`)),
    software: same(() => get(`/software/1?activation_token=${tokenOf(below(licenses), 0)}`)),
    create: same(create),
    mixed: {
      next() {
        const dice = Math.random();
        if (dice < 0.9) return validate();
        if (dice < 0.95) return activate();
        if (dice < 0.98) return deactivate() ?? activate();
        return read();
      },
      onAnswer: remember,
      timedApart: `GET ${ROOT}/licenses/validate/`,
      sample: validate,
    },
  } satisfies Record<string, Scenario>;
}
