import { BOUNDARY } from '../support/http/multipart.ts';
import type { FuzzRequest } from './requests.ts';
import { jsonOf } from './values.ts';
import { inWorld, type World } from './world.ts';

/** Characters that would end the request line or the target. The wire tests cover them. */
const NO_ADDRESS = /[\0-\x20\x7f]/g;
const percent = (text: string): string => encodeURIComponent(text.toWellFormed());

function encoded(text: string, how: FuzzRequest['encoding']): string {
  if (how === 'all') return Buffer.from(text.toWellFormed()).toString('hex').replace(/../g, '%$&');
  if (how === 'twice') return percent(percent(text));
  if (how === 'overlong') return percent(text).replace(/[a-z]/i, '%c1%a1');
  if (how === 'malformed') return `${percent(text)}%${text.length % 2 ? 'g' : 'c3'}`;
  if (how === 'raw') return Buffer.from(text.toWellFormed()).toString('latin1').replace(NO_ADDRESS, '_');
  return percent(text);
}

/** Renders a value as form fields, with brackets for nested values. */
function pairs(name: string, value: unknown, depth = 0): string[] {
  if (depth < 100 && typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, one]) =>
      pairs(`${name}[${Array.isArray(value) ? '' : key}]`, one, depth + 1),
    );
  const text = typeof value === 'object' ? '' : String(value);
  return [`${percent(name)}=${percent(text)}`];
}

const allIn = (value: unknown, world: World): unknown => {
  if (typeof value === 'string') return inWorld(value, world);
  return Array.isArray(value) && value.length < 10 && !Array.isArray(value[0])
    ? value.map((one) => allIn(one, world))
    : value;
};

function bodyOf({ body }: FuzzRequest, world: World): [type: string, bytes: Buffer] {
  const values = body.values.map(([name, value]): [string, unknown] => [name, allIn(value, world)]);
  const form = () => values.flatMap(([name, value]) => pairs(name, value)).join('&');
  switch (body.as) {
    case 'none':
      return ['', Buffer.alloc(0)];
    case 'json':
      return ['application/json', Buffer.from(jsonOf(values))];
    case 'plain':
      return ['text/plain', Buffer.from(jsonOf(values))];
    case 'untyped':
      return ['', Buffer.from(jsonOf(values))];
    case 'other':
      return ['application/xml', Buffer.from(jsonOf(values))];
    case 'text':
      return ['application/json', Buffer.from(body.text)];
    case 'form':
      return ['application/x-www-form-urlencoded', Buffer.from(form())];
    case 'multipart': {
      const parts = values.slice(0, 500).map(([name, value]) => {
        const file = name === 'file' ? '; filename="f.zip"' : '';
        const text = typeof value === 'object' ? jsonOf([[name, value]]) : String(value);
        return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name.replaceAll('"', '%22')}"${file}\r\n\r\n${text}\r\n`;
      });
      return [
        `multipart/form-data; boundary=${BOUNDARY}`,
        Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`),
      ];
    }
  }
}

/** Returns the bytes of a request, with names replaced by their values in the world. */
export function render(request: FuzzRequest, world: World, root: string): Buffer {
  const { method, segments, encoding, credentials, headers } = request;
  const [key, secret] = [world.get('consumer_key') ?? '', world.get('consumer_secret') ?? ''];
  const query: string[] = [];
  if (credentials === 'query') query.push(`consumer_key=${key}`, `consumer_secret=${secret}`);
  if (credentials === 'odd') query.push('consumer_key[]=a', 'consumer_secret=%00');
  const path = `/${segments.map((segment) => encoded(inWorld(segment, world), encoding)).join('/')}`;
  const full = root + path;
  const route = percent(`/dlm/v1${path}`);
  const target = {
    path: full,
    slash: `${full}/`,
    absolute: `http://example.com${full}`,
    rest_route: '/',
    'index.php': '/index.php',
  }[request.address];
  if (request.address === 'rest_route' || request.address === 'index.php') query.push(`rest_route=${route}`);
  query.push(...request.query.flatMap(([name, value]) => pairs(name, allIn(value, world))));
  // Beyond this size the service refuses the headers as too large, whatever they contain.
  const search = query.join('&').slice(0, 50_000);
  const [type, bytes] = bodyOf(request, world);
  const basic = (pair: string) => `Authorization: Basic ${Buffer.from(pair).toString('base64')}`;
  const lines = [
    `${method} ${target}${search === '' ? '' : `?${search}`} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(credentials === 'basic' ? [basic(`${key}:${secret}`)] : []),
    ...(credentials === 'wrong' ? [basic(`${key}:cs_${'0'.repeat(40)}`)] : []),
    ...(type === '' ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${bytes.length}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}
