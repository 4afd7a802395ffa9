import fc from 'fast-check';
import { inWorld, type World } from './world.ts';

/** HTTP messages, byte for byte: good ones, ambiguous ones, and bytes that are not HTTP at all. */
export interface Message {
  kind: 'good' | 'ambiguous' | 'odd';
  /** Latin-1 text with names of the world, and AUTH in place of valid credentials. */
  text: string;
}

const ROOT = '/wp-json/dlm/v1';
const HEAD = 'Host: a\r\nAUTH\r\n';
/** A message that the service must never read out of the body of another. */
const HIDDEN = `DELETE ${ROOT}/licenses/<<key:of>> HTTP/1.1\r\n${HEAD}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded\r\n';
const MULTIPART_TYPE = 'Content-Type: multipart/form-data; boundary=B\r\n';

const READS = [
  `GET ${ROOT}/licenses/<<key:free>>`,
  `GET ${ROOT}/licenses?per_page=2`,
  `HEAD ${ROOT}/generators`,
  `GET ${ROOT}/licenses/validate/<<token:valid>>`,
  `GET ${ROOT}/software/<<id:public>>`,
  `GET ${ROOT}/licenses/nothing`,
  `GET /?rest_route=/dlm/v1/licenses/<<key:free>>`,
  `GET http://example.com${ROOT}/generators/<<id:generator>>`,
  `OPTIONS ${ROOT}/licenses`,
];
const WRITES: [line: string, type: string, body: string][] = [
  [`PUT ${ROOT}/licenses/<<key:free>>`, JSON_TYPE, '{"order_id":5}'],
  [`POST ${ROOT}/licenses/<<key:free>>`, FORM_TYPE, 'order_id=6'],
  [`POST ${ROOT}/licenses/activate/<<key:of>>`, JSON_TYPE, '{"label":"x","meta":{"a":1}}'],
  [`POST ${ROOT}/licenses`, JSON_TYPE, '{"license_key":"","valid_for":0}'],
  [`POST ${ROOT}/generators`, JSON_TYPE, '{"name":"x","charset":"AB","chunks":1,"chunk_length":2}'],
  [`PUT ${ROOT}/software/<<id:software>>`, '', '{"tested":"6.5"}'],
  [
    `POST ${ROOT}/software/<<id:software>>/releases`,
    MULTIPART_TYPE,
    '--B\r\nContent-Disposition: form-data; name="version"\r\n\r\n3.0\r\n--B\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nabc\r\n--B--\r\n',
  ],
  [`GET ${ROOT}/licenses/activate/<<key:of>>`, JSON_TYPE, '{"label":"ignored"}'],
  [`DELETE ${ROOT}/generators/<<id:generator>>`, JSON_TYPE, '{}'],
];

const chunked = (pieces: readonly string[], extension = '', trailers = ''): string =>
  `${pieces.map((one) => `${one.length.toString(16)}${extension}\r\n${one}\r\n`).join('')}0\r\n${trailers}\r\n`;
const halves = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

/**
 * Ways to frame a body that every reader understands alike. If the body has a name of the world, its length
 * is found later.
 */
const GOOD_FRAMES: ((body: string) => string)[] = [
  (body) => `Content-Length: ${body.length}\r\n\r\n${body}`,
  (body) => `Transfer-Encoding: chunked\r\n\r\n${chunked([body])}`,
  (body) => `transfer-encoding:  Chunked \r\n\r\n${chunked(halves(body))}`,
  (body) => `Transfer-Encoding: chunked\r\n\r\n${chunked(halves(body), ';a=b;c="d"')}`,
  (body) => `Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n${chunked([body], '', 'X: y\r\n')}`,
  (body) => `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
];
/**
 * Ways that two readers may understand differently, which allows request smuggling. The service must refuse
 * each.
 */
const AMBIGUOUS_FRAMES: ((body: string) => string)[] = [
  (body) => `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  (body) => `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunked([body])}${HIDDEN}`,
  (body) => `Content-Length: ${body.length}\r\nContent-Length: 0\r\n\r\n${body}${HIDDEN}`,
  (body) => `Content-Length: 0\r\nContent-Length: ${body.length}\r\n\r\n${HIDDEN}`,
  (body) => `Content-Length: ${body.length}, 0\r\n\r\n${body}${HIDDEN}`,
  (body) => `Content-Length: -1\r\n\r\n${body}${HIDDEN}`,
  (body) => `Content-Length: +${body.length}\r\n\r\n${body}${HIDDEN}`,
  (body) => `Content-Length: 0x${body.length}\r\n\r\n${body}${HIDDEN}`,
  (body) => `Content-Length: 99999999999999999999\r\n\r\n${body}${HIDDEN}`,
  (body) => `Content-Length : ${body.length}\r\n\r\n${body}${HIDDEN}`,
  () => `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  () => `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
  () => `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
  () => `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  (body) => `Transfer-Encoding: chunked\r\n\r\n-1\r\n${body}\r\n0\r\n\r\n${HIDDEN}`,
  (body) => `Transfer-Encoding: chunked\r\n\r\n0x5\r\n${body}\r\n0\r\n\r\n${HIDDEN}`,
  (body) => `Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n${body}\r\n0\r\n\r\n${HIDDEN}`,
  (body) => `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\n${body}\n0\n\n${HIDDEN}`,
  (body) => `Transfer-Encoding: chunked\r\n\r\n1\r\n${body}\r\n0\r\n\r\n${HIDDEN}`,
  () => `Transfer-Encoding: chunked\r\n\r\n\r\n${HIDDEN}`,
  (body) => `Transfer-Encoding: chunked\r\n\r\n${chunked([body], '', 'Content-Length: 3\r\n')}`,
  () => `X: y\r\n Transfer-Encoding: chunked\r\nContent-Length\r\n\r\n${HIDDEN}`,
  () => `X: \0\r\nContent-Length: 0\r\n\r\n${HIDDEN}`,
  () => `X: a\rContent-Length: 5\r\n\r\n${HIDDEN}`,
];
const ODD: string[] = [
  ...[
    '\r\n',
    '\r\n\r\n\r\n',
    '\n',
    '\0',
    'x',
    'GET',
    'GET / ',
    'GET /\r\n\r\n',
    'GET / HTTP/0.9\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
  ],
  ...[
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'r'.repeat(200)}`,
    'SSH-2.0-x\r\n',
    '\x80\x2e\x01\x03\x01',
  ],
  ...[
    'PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n',
    'EHLO a\r\n',
    '*1\r\n$4\r\nPING\r\n',
    '{"a":1}\n',
    'GET\t/\tHTTP/1.1\r\n\r\n',
  ],
  `OPTIONS * HTTP/1.1\r\n${HEAD}\r\n`,
  `CONNECT example.com:443 HTTP/1.1\r\n${HEAD}\r\n`,
  `GET ${ROOT}/licenses HTTP/1.1\r\n${HEAD}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: eHl6\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  `GET ${ROOT}/licenses HTTP/1.1\r\n${HEAD}Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
  `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 2\r\n\r\n{}`,
  `GET ${ROOT}/licenses HTTP/1.0\r\nAUTH\r\n\r\n`,
  `GET ${ROOT}/licenses HTTP/1.0\r\nAUTH\r\nConnection: keep-alive\r\n\r\n`,
  `POST ${ROOT}/licenses/<<key:free>> HTTP/1.0\r\nAUTH\r\n${JSON_TYPE}\r\n{"order_id":1}`,
  `GET ${ROOT}/licenses HTTP/1.1\r\nAUTH\r\n\r\n`,
  `GET ${ROOT}/licenses HTTP/1.1\r\nHost: a\r\nHost: b\r\nAUTH\r\n\r\n`,
  `GET ${ROOT}/licenses HTTP/1.1\nHost: a\nAUTH\n\n`,
  `GET ${ROOT}/licenses HTTP/1.1\r\n${HEAD}AUTH\r\n\r\n`,
  `GET ${ROOT}/licenses?${'a=b&'.repeat(20_000)} HTTP/1.1\r\n${HEAD}\r\n`,
  `GET ${ROOT}/licenses HTTP/1.1\r\n${HEAD}${'X: y\r\n'.repeat(3_000)}\r\n`,
  `GET ${ROOT}/licenses HTTP/1.1\r\n${HEAD}X: ${'y'.repeat(100_000)}\r\n\r\n`,
  `GET ${ROOT}/licenses HTTP/1.1\r\n${HEAD}: y\r\n\r\n`,
  `GET ${ROOT}/licenses/%00\xff\xfe HTTP/1.1\r\n${HEAD}\r\n`,
  `GET ${ROOT}/licenses/a b HTTP/1.1\r\n${HEAD}\r\n`,
  `GET //evil${ROOT}/licenses HTTP/1.1\r\n${HEAD}\r\n`,
  `GET \\licenses HTTP/1.1\r\n${HEAD}\r\n`,
  `GET ?rest_route=/dlm/v1/licenses HTTP/1.1\r\n${HEAD}\r\n`,
  `get ${ROOT}/licenses HTTP/1.1\r\n${HEAD}\r\n`,
  `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}${JSON_TYPE}Content-Length: 2000000\r\n\r\n{`,
  `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}${JSON_TYPE}Content-Length: 20\r\n\r\n{}`,
  `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}${JSON_TYPE}Content-Length: 1\r\n\r\n{"license_key":"SHORT"}`,
  `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n5\r\n{`,
  `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n5;${'e'.repeat(20_000)}\r\n`,
  `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(2_000)}0\r\n\r\n`,
  `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n0\r\n${'T: u\r\n'.repeat(5_000)}\r\n`,
];

const good = fc.oneof(
  fc.constantFrom(...READS).map((line) => `${line} HTTP/1.1\r\n${HEAD}\r\n`),
  fc
    .tuple(fc.constantFrom(...WRITES), fc.constantFrom(...GOOD_FRAMES))
    .map(([[line, type, body], frame]) => `${line} HTTP/1.1\r\n${HEAD}${type}${frame(body)}`),
);
const ambiguous = fc
  .tuple(fc.constantFrom(...WRITES), fc.constantFrom(...AMBIGUOUS_FRAMES))
  .map(([[line, type, body], frame]) => `${line} HTTP/1.1\r\n${HEAD}${type}${frame(body)}`);
const changed = fc
  .tuple(
    fc.oneof(good, fc.constantFrom(...ODD)),
    fc.nat(2_000),
    fc.nat(8),
    fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 8 }),
      fc.constantFrom('\r\n', '\n', '\0', ' ', ':', '\xff'),
    ),
  )
  .map(([text, at, removed, put]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + put + text.slice(from + removed);
  });
const cut = fc.tuple(good, fc.nat(2_000)).map(([text, at]) => text.slice(0, at % (text.length + 1)));
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array).toString('latin1'));

const of = (kind: Message['kind'], text: fc.Arbitrary<string>): fc.Arbitrary<Message> =>
  text.map((one) => ({ kind, text: one }));

/** The messages of one connection, and where to cut them into pieces. */
export const connections = fc.record({
  messages: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: of('good', good) },
      { weight: 2, arbitrary: of('ambiguous', ambiguous) },
      { weight: 2, arbitrary: of('odd', fc.constantFrom(...ODD)) },
      { weight: 2, arbitrary: of('odd', changed) },
      { weight: 1, arbitrary: of('odd', cut) },
      { weight: 1, arbitrary: of('odd', bytes) },
    ),
    { minLength: 1, maxLength: 6 },
  ),
  pieces: fc.array(fc.nat(1_000), { maxLength: 5 }),
});

/** A message that is answered 404 and makes the service close the connection. */
const LAST = `GET ${ROOT}/the-last HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`;

/** Returns the bytes of a connection, cut at the given thousandths of their length. */
export function bytesOf(
  { messages, pieces }: { messages: readonly Message[]; pieces: readonly number[] },
  world: World,
  authorization: string,
): Buffer[] {
  const texts = messages.map((one) => inWorld(one.text, world).replaceAll('AUTH', authorization));
  const text = texts.join('') + LAST.replaceAll('AUTH', authorization);
  const whole = Buffer.from(text, 'latin1');
  const ends = [...pieces, 1_000]
    .sort((a, b) => a - b)
    .map((part) => Math.floor((whole.length * part) / 1_000));
  return ends.map((end, i) => whole.subarray(ends[i - 1] ?? 0, end)).filter(({ length }) => length > 0);
}
