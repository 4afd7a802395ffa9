import { ACTIVATIONS, activatedOf, keyOf, tokenOf } from './dataset.ts';
import type { Request } from './load.ts';

export interface Scenario {
  /** Null where there is nothing left to ask. */
  next(): Request | null;
  /** Looks at what came back. */
  onBody?(body: string, request: Request): void;
}

const below = (n: number): number => 1 + Math.floor(Math.random() * n);
const TOKEN = /"token":"([0-9a-f]{40})"/;

/**
 * What is asked, by name. Licenses are chosen at random among all, or among those that have activations.
 * @param authorization value of the header
 */
export function scenariosOf(licenses: number, authorization: string): Record<string, Scenario> {
  const head = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\nUser-Agent: acme/2.0 (bench)\r\n`;
  const get = (path: string): Request => `GET /wp-json/dlm/v1${path} ${head}\r\n`;
  const post = (path: string, json: object): Request => {
    const body = JSON.stringify(json);
    return `POST /wp-json/dlm/v1${path} ${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const activated = activatedOf(licenses);
  /** Of activations made here, not yet ended. */
  const fresh: string[] = [];
  const remember = (body: string, request: Request) => {
    const token = request.includes('/licenses/activate/') ? TOKEN.exec(body)?.[1] : undefined;
    if (token) fresh.push(token);
  };
  const run = Date.now().toString(36);
  let created = 0;
  const pages = Math.max(1, Math.floor((licenses * 0.9) / 30));

  const validate = () => get(`/licenses/validate/${tokenOf(below(activated), below(ACTIVATIONS) - 1)}`);
  const read = () => get(`/licenses/${keyOf(below(activated))}`);
  const activate = () => get(`/licenses/activate/${keyOf(below(licenses))}?label=Bench&meta%5Bos%5D=linux`);
  const deactivate = () => {
    const token = fresh.pop();
    return token === undefined ? null : get(`/licenses/deactivate/${token}`);
  };
  return {
    validate: { next: validate },
    get: { next: read },
    activate: { next: activate, onBody: remember },
    deactivate: { next: deactivate },
    list: { next: () => get('/licenses?per_page=30') },
    list_deep: { next: () => get(`/licenses?per_page=30&page=${pages}`) },
    software: { next: () => get(`/software/1?activation_token=${tokenOf(below(activated), 0)}`) },
    create: {
      next: () =>
        post('/licenses', {
          license_key: `NEW-${run}-${created++}`,
          status: 3,
          valid_for: 0,
          activations_limit: 0,
        }),
    },
    mixed: {
      next() {
        const dice = Math.random();
        if (dice < 0.9) return validate();
        if (dice < 0.95) return activate();
        if (dice < 0.98) return deactivate() ?? activate();
        return read();
      },
      onBody: remember,
    },
  };
}
