import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import semver from 'semver';
import { version, versionOrder } from './version.ts';

/** Returns a negative number if `a` is earlier than `b`, a positive one if it is later, 0 for the same version. */
function compareVersions(a: string, b: string): number {
  const [first, second] = [versionOrder(a), versionOrder(b)];
  if (first === null || second === null) throw new RangeError('no version');
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

/** Asserts that each version is earlier than all versions after it. */
function assertRising(versions: readonly string[]): void {
  for (const [i, a] of versions.entries()) {
    for (const [j, b] of versions.entries()) {
      assert.equal(Math.sign(compareVersions(a, b)), Math.sign(i - j), `${a} and ${b}`);
    }
  }
}

suite('order of versions', () => {
  test('the example of Semantic Versioning, section 11', () => {
    assertRising([
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.9.0',
      '1.10.0',
      '2.0.0-rc.1',
      '2.0.0',
      '2.1.0',
      '2.1.1',
    ]);
  });
  test('any SemVer versions are as the semver package has them', () => {
    const number = fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: Number.MAX_SAFE_INTEGER }));
    const letters = fc.stringMatching(/^[0-9A-Za-z-]{0,3}[A-Za-z-][0-9A-Za-z-]{0,3}$/);
    const pre = fc.array(fc.oneof(number.map(String), letters), { minLength: 1, maxLength: 3 });
    const build = fc.stringMatching(/^[0-9A-Za-z-]{1,4}$/);
    const any = fc
      .tuple(fc.tuple(number, number, number), fc.option(pre), fc.option(build))
      .map(
        ([release, ids, meta]) =>
          release.join('.') + (ids ? `-${ids.join('.')}` : '') + (meta ? `+${meta}` : ''),
      )
      .filter((text) => text.length <= 64);
    const near = fc
      .tuple(any, any)
      .chain(([a, b]) => fc.constantFrom([a, b], [a, a], [a, a.replace(/[-+].*/, '')]));
    fc.assert(
      fc.property(near, ([a = '', b = '']) => {
        assert.equal(compareVersions(a, b), semver.compare(a, b));
      }),
      { numRuns: 5_000 },
    );
  });
  test('looser versions: any number of numbers, pre-releases without a hyphen', () => {
    assertRising([
      '1.4-rc.1',
      '1.4',
      '1.4.0.1',
      '1.4.1',
      '6.8.1-beta.2',
      '6.8.1',
      '6.8.1.2',
      '6.8.1.10',
      '6.8.2',
    ]);
    assertRising([
      ...['2.0a10', '2.0b2', '2.0b10', '2.0.dev3', '2.0rc1', '2.0rc9', '2.0rc10'],
      ...['2.0', '2.0.1', '20260101', '20261121'],
    ]);
  });
  test('what is the same version', () => {
    for (const same of [
      ['1.4', '1.4.0', '1.4.0.0', 'v1.4', 'V1.4.0', '01.04', '1.4.0+build.7'],
      ['2.0rc1', '2.0-rc.1', '2.0.0-rc.1', '2.0.rc1', '2.0.rc.1'],
      ['0', '0.0.0'],
    ]) {
      for (const one of same) assert.equal(compareVersions(one, same[0] as string), 0, one);
    }
  });
  test('numbers longer than a number can hold are compared exactly', () => {
    assertRising(['1.99999999999999999998', '1.99999999999999999999', '1.100000000000000000000']);
  });
  test('an order is ASCII, so that it sorts alike as text and as bytes', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,3}(\.\d{1,3}){0,3}(-[a-z0-9]{1,4}(\.[a-z0-9]{1,4})?)?$/), (text) =>
        assert.match(versionOrder(text) ?? '\n', /^[!-~]+$/),
      ),
    );
  });
});

suite('what is a version', () => {
  for (const good of ['1', '1.4', '6.8.1.2', '2.0.0-rc.1', '2.0rc1', 'v1.2', '1.0.0+sha.5114f85', '1.0--x']) {
    test(good, () => assert.deepEqual(version.read(good), { ok: true, value: good }));
  }
  for (const bad of [
    ...[
      '',
      ' ',
      'latest',
      'rc.1',
      '1.',
      '.1',
      '1..2',
      '1.2-',
      '1.2-rc..1',
      '1.2+',
      '1.2 ',
      ' 1.2',
      '1.2\n',
      '1,2',
    ],
    ...['1.2-rc_1', '-1', '1.2/../3', '١.٢', `1.${'0'.repeat(70)}`, 1.4, null, ['1.4'], {}],
  ]) {
    test(JSON.stringify(bad), () => assert.equal(version.read(bad).ok, false));
  }
});
