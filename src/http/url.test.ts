import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRewrite } from './url.ts';

const roots = { restPath: '/wp-json', clientRoot: '/client/v1' };
const rewrite = createRewrite({ ...roots, basePath: '' });
const below = createRewrite({ ...roots, basePath: '/shop' });
const key = fc.string({ unit: 'grapheme', minLength: 1 });
const path = (encoded: string) => `/wp-json/dlm/v1/licenses/${encoded}`;

test('an encoded key stays as it is, with a trailing slash or without, below the base path or not', () => {
  fc.assert(
    fc.property(key, (one) => {
      const target = path(encodeURIComponent(one));
      assert.equal(rewrite(target), target);
      assert.equal(rewrite(`${target}/`), target);
      assert.equal(rewrite(`${target}/?x=1`), `${target}?x=1`);
      assert.equal(below(`/shop${target}`), target);
      assert.equal(rewrite(`https://example.com${target}`), target);
    }),
  );
});

test('doubled slashes and index.php go, with a base path or without; encoded slashes of a key stay', () => {
  const slashes = fc.array(fc.nat(3), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(key, slashes, fc.boolean(), fc.boolean(), (one, more, isBelow, isIndexed) => {
      const encoded = encodeURIComponent(`${one}//${one}`);
      const segments = ['wp-json', 'dlm', 'v1', 'licenses', encoded];
      if (isIndexed) segments.unshift('index.php');
      if (isBelow) segments.unshift('shop');
      const target = segments.map((segment, i) => '/'.repeat(1 + (more[i] ?? 0)) + segment).join('');
      assert.equal((isBelow ? below : rewrite)(`${target}/?x=//`), `${path(encoded)}?x=//`);
    }),
  );
  assert.equal(rewrite('//example.com/wp-json/dlm/v1/licenses'), '/example.com/wp-json/dlm/v1/licenses');
  assert.equal(rewrite('/index.php/console'), '/index.php/console');
  for (const route of ['%2Fdlm%2Fv1%2Flicenses%2F%2Fx', '/dlm/v1/licenses/%2Fx'])
    assert.equal(rewrite(`/?rest_route=${route}`), '/wp-json/dlm/v1/licenses//x');
});

test('rest_route leads to the same record as the path, and takes its query along', () => {
  fc.assert(
    fc.property(key, (one) => {
      const route = encodeURIComponent(`/dlm/v1/licenses/${encodeURIComponent(one)}`);
      for (const target of [
        rewrite(`/?rest_route=${route}&x=1`),
        rewrite(`/index.php?x=1&rest_route=${route}`),
        rewrite(`/index.php/?x=1&rest_route=${route}`),
        below(`/shop/?rest_route=${route}&x=1`),
        below(`/shop?x=1&rest_route=${route}`),
      ]) {
        const [pathname = '', query] = target.split('?');
        assert.equal(decodeURIComponent(pathname), decodeURIComponent(path(encodeURIComponent(one))));
        assert.equal(pathname.split('/').length, 6);
        assert.equal(query, 'x=1');
      }
    }),
  );
});

test('it never throws, and what comes out begins with a slash and can be decoded', () => {
  const bytes = fc.string({
    unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
  });
  const near = fc.stringMatching(/^[a-z%0-9?&=/+.:]{0,40}$/);
  const routed = fc
    .tuple(fc.constantFrom('/?', '/index.php?', '?'), near)
    .map(([at, rest]) => `${at}rest_route=${rest}`);
  fc.assert(
    fc.property(
      fc.oneof(
        bytes,
        near,
        routed,
        bytes.map((one) => `/wp-json/${one}`),
      ),
      (target) => {
        for (const to of [rewrite(target), below(target)]) {
          const pathname = to.split('?', 1)[0] ?? '';
          if (target.startsWith('/')) assert.ok(pathname.startsWith('/'), to);
          decodeURIComponent(pathname);
        }
      },
    ),
    { numRuns: 3_000 },
  );
});
