import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import { comingIn, field, filePart, form, uploadHead } from '../../support/http/multipart.ts';
import { Wire } from '../../support/http/wire.ts';
import { startService } from '../../support/service.ts';

/** Sends random forms: each is answered, and never with a server error. LATCHKEY_FUZZ_RUNS sets the number of runs. */
const RUNS = Number(process.env.LATCHKEY_FUZZ_RUNS ?? 150);
const api = await startService({ after });
const { license_key } = await api.license({ activations_limit: 0 });
const { id } = await api.software();

const WHOLE = form(
  field('version', '1.0'),
  filePart('the content\r\n--of the file'),
  filePart('', 'other', '; filename=""'),
  field('status', 'draft'),
).toString('latin1');
const BOUNDARY_LINE = WHOLE.slice(0, WHOLE.indexOf('\r\n'));
const bits = fc.oneof(
  fc.constantFrom(
    ...['\r\n', '\r\n\r\n', '\n', '\r', '\0', '"', ';', '=', '\\', '%0d%0a', '\xff', '\x00\xd8'],
    ...[BOUNDARY_LINE, `\r\n${BOUNDARY_LINE}`, `${BOUNDARY_LINE}--`, '--'],
    ...['; name', '; name="file"', '; filename', '; filename="b"', "; filename*=utf-8''%ff%zz"],
    ...['\r\nContent-Type: text/plain; charset=utf-16le', '\r\nContent-Type: text/plain; charset'],
    ...[
      '\r\nContent-Type: application/octet-stream',
      '\r\nContent-Disposition: form-data',
      '\r\n__proto__: x',
    ],
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 5 }),
  fc.constant('x'.repeat(70_000)),
);
/** Replaces some bytes, mostly none or a few. */
const mutation = fc.record({
  at: fc.nat(WHOLE.length),
  removed: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(WHOLE.length)),
  put: bits,
});
const bodies = fc
  .array(mutation, { minLength: 1, maxLength: 4 })
  .map((mutations) =>
    mutations.reduce(
      (body, { at, removed, put }) => body.slice(0, at) + put + body.slice(at + removed),
      WHOLE,
    ),
  );

async function answered(path: string, body: Buffer, cut: number): Promise<void> {
  const wire = await Wire.open(api.port);
  wire.write(uploadHead(api, path, [`Content-Length: ${body.length}`]));
  const { status } = await wire.write(body.subarray(0, cut)).write(body.subarray(cut)).answer();
  wire.close();
  assert.ok([200, 400, 409, 413, 422].includes(status), String(status));
}

suite('any form is answered', () => {
  for (const [what, path] of [
    ['an ordinary route', `/licenses/activate/${license_key}`],
    ['an upload', `/software/${id}/releases`],
  ] as const) {
    test(what, { timeout: 600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(bodies, fc.nat(WHOLE.length), async (text, cut) => {
          const body = Buffer.from(text, 'latin1');
          await answered(path, body, Math.min(cut, body.length));
        }),
        { numRuns: RUNS },
      );
      await comingIn(api, 0);
    });
  }
});
