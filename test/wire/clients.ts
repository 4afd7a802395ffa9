import { type Answer, createConnection, type Sent } from './http.ts';
import type { Masks } from './masks.ts';
import { describe, type Omitted } from './transcript.ts';

export type { Answer } from './http.ts';

/** The parts of a request besides its method and address. At most one kind of body. */
export interface Options {
  json?: unknown;
  form?: string;
  /** Fields of a multipart form; a file is a list of name, type and content. */
  multipart?: readonly (readonly [field: string, value: string | readonly [string, string, string]])[];
  /** A raw body. */
  body?: string | Buffer;
  type?: string;
  announced?: number;
  /** Uses its own connection, which the server closes. */
  isAlone?: boolean;
  headers?: Record<string, string>;
  omitted?: Omitted;
  /** Sends the request without recording it. */
  isSilent?: boolean;
}

/** Sends a request, `GET /path`, and records it with its answer. */
export type Call = (what: string, options?: Options) => Promise<Answer>;

export interface Credentials {
  consumerKey: string;
  consumerSecret: string;
}

/** A browser with or without a signed-in user. */
export interface Browser {
  call: Call;
  /** Cookies by name. */
  cookies: Map<string, string>;
  csrf: string | null;
}

/** The host that requests name, so that links in answers do not depend on the port. */
export const HOST = 'licenses.example.test';
const BOUNDARY = 'wire-boundary';

export interface Clients {
  /** Sets the file in which the next requests are recorded. */
  group(name: string): void;
  call: Call;
  /** Returns a client of the v1 API. `null` for no credentials. */
  v1(credentials: Credentials | null, root?: string): Call;
  browser(root?: string): Browser;
  /** The recordings so far, by file name. */
  recorded: Map<string, string[]>;
  close(): void;
}

export function createClients(port: number, masks: Masks, recorded: Map<string, string[]>): Clients {
  const connection = createConnection(port);
  let group = 'documents';

  const call: Call = async (what, options = {}) => {
    const sent = sentOf(what, options);
    const answer = await connection.send(sent);
    const described = describe(sent, answer, masks, options.omitted ?? {});
    if (!options.isSilent) recorded.set(group, [...(recorded.get(group) ?? []), described]);
    return answer;
  };
  const below =
    (root: string, headers: () => Record<string, string>): Call =>
    (what, options = {}) =>
      call(what.replace(' ', ` ${root}`), { ...options, headers: { ...headers(), ...options.headers } });

  return {
    group(name) {
      group = name;
    },
    call,
    v1: (credentials, root = '/wp-json/dlm/v1') =>
      below(root, () => (credentials ? { authorization: basic(credentials) } : {})),
    browser(root = '/console/api') {
      const browser: Browser = { call, cookies: new Map(), csrf: null };
      const cookie = () => [...browser.cookies].map((one) => one.join('=')).join('; ');
      const send = below(root, () => ({
        ...(browser.cookies.size > 0 && { cookie: cookie() }),
        ...(browser.csrf !== null && { 'x-csrf-token': browser.csrf }),
      }));
      browser.call = async (what, options) => {
        const answer = await send(what, options);
        for (const set of answer.headers['set-cookie'] ?? []) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          if (value === '') browser.cookies.delete(name);
          else browser.cookies.set(name, value);
        }
        if (typeof answer.body?.csrf_token === 'string') browser.csrf = answer.body.csrf_token;
        return answer;
      };
      return browser;
    },
    recorded,
    close: connection.close,
  };
}

export const basic = ({ consumerKey, consumerSecret }: Credentials): string =>
  `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;

function sentOf(what: string, options: Options): Sent {
  const [, method = '', path = ''] = /^(\S+) ([\s\S]*)$/.exec(what) ?? [];
  const [body, type] = bodyOf(options);
  const headers = { host: HOST, ...(type !== null && { 'content-type': type }), ...options.headers };
  return {
    method,
    path,
    headers,
    body,
    announced: options.announced ?? null,
    isAlone: options.isAlone ?? false,
  };
}

function bodyOf({ json, form, multipart, body, type }: Options): [Buffer | null, string | null] {
  if (json !== undefined) return [Buffer.from(JSON.stringify(json)), type ?? 'application/json'];
  if (form !== undefined) return [Buffer.from(form), type ?? 'application/x-www-form-urlencoded'];
  if (multipart) return [multipartBody(multipart), `multipart/form-data; boundary=${BOUNDARY}`];
  if (body !== undefined) return [Buffer.from(body), type ?? null];
  return [null, type ?? null];
}

function multipartBody(fields: NonNullable<Options['multipart']>): Buffer {
  const parts = fields.map(([field, value]) => {
    if (typeof value === 'string')
      return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`;
    const [name, type, content] = value;
    const disposition = `content-disposition: form-data; name="${field}"; filename="${name}"`;
    return `--${BOUNDARY}\r\n${disposition}\r\ncontent-type: ${type}\r\n\r\n${content}\r\n`;
  });
  return Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
}
