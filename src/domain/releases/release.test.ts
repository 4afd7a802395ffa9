import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { CHANNELS, type Channel, channelFor, channelOf, isOffered, RELEASE_STATUSES } from './release.ts';

const release = { id: 7, status: 'published', channel: 'stable', rollout: 100 } as const;
const id = fc.integer({ min: 1, max: 2 ** 40 });

suite('who is offered a release', () => {
  test('a channel offers its own and those of the more stable ones', () => {
    const offered = CHANNELS.map((asked) =>
      CHANNELS.filter((channel) => isOffered({ ...release, channel }, asked, null)),
    );
    assert.deepEqual(offered, [
      ['stable'],
      ['stable', 'rc'],
      ['stable', 'rc', 'beta'],
      ['stable', 'rc', 'beta', 'alpha'],
    ]);
  });
  test('another name counts as stable', () => {
    for (const name of ['Stable', 'BETA', 'nightly', '', undefined, null, 3, ['beta']])
      assert.equal(channelOf(name), 'stable');
    for (const name of CHANNELS) assert.equal(channelOf(name), name satisfies Channel);
  });
  test('a version names its channel', () => {
    const named = {
      rc: ['2.0.0-rc.1', 'v2.0-RC1', '2.0rc', '2.0.0-rc-2+build.7'],
      beta: ['2.0.0-beta', '2.0beta2', '2.0.0.beta.1.alpha'],
      alpha: ['3.5.alpha3', '1-alpha.beta'],
      stable: ['2.0.0', '1.4.0-1', '2.0-1.rc', '2.0-dev.beta', '2.0-alphabet', '2.0-rcx', '2.0+rc.1'],
    };
    for (const channel of CHANNELS)
      for (const version of named[channel]) assert.equal(channelFor(version), channel, version);
  });
  test('only what is published', () => {
    const offered = RELEASE_STATUSES.filter((status) =>
      isOffered({ ...release, status }, 'alpha', { id: 1, device: null }),
    );
    assert.deepEqual(offered, ['published']);
  });
});

suite('rollout', () => {
  const has = (
    releaseId: number,
    rollout: number,
    activationId: number | null,
    device: string | null = null,
  ) =>
    isOffered(
      { ...release, id: releaseId, rollout },
      'stable',
      activationId === null ? null : { id: activationId, device },
    );
  const maybeDevice = fc.option(fc.string({ minLength: 1 }));

  test('100 is everybody, 0 nobody; who has no activation gets it at 100 only', () => {
    fc.assert(
      fc.property(id, id, maybeDevice, fc.integer({ min: 0, max: 99 }), (one, activation, device, part) => {
        assert.deepEqual([has(one, 100, activation, device), has(one, 0, activation, device)], [true, false]);
        assert.deepEqual([has(one, 100, null), has(one, part, null)], [true, false]);
      }),
    );
  });
  test('raising takes nobody out', () => {
    fc.assert(
      fc.property(id, id, maybeDevice, (one, activation, device) => {
        const parts = Array.from({ length: 101 }, (_, rollout) => has(one, rollout, activation, device));
        assert.equal(parts.indexOf(true), parts.lastIndexOf(false) + 1);
      }),
    );
  });
  test('the share is as set, for ids in a row, and another part of them for another release', () => {
    const activations = Array.from({ length: 20_000 }, (_, i) => i + 1);
    for (const rollout of [1, 10, 50, 90]) {
      for (const one of [1, 2, 1_000]) {
        const share = activations.filter((activation) => has(one, rollout, activation)).length / 200;
        assert.ok(Math.abs(share - rollout) < 2, `release ${one} at ${rollout}: ${share}`);
      }
    }
    const both = activations.filter((activation) => has(1, 50, activation) && has(2, 50, activation));
    assert.ok(Math.abs(both.length / 200 - 25) < 2, `${both.length}`);
  });
  test('a device keeps its part when it is activated again, and the share of devices is as set', () => {
    const devices = Array.from({ length: 20_000 }, (_, i) => `f${i}`);
    for (const rollout of [1, 10, 50, 90]) {
      const included = devices.filter((device) => has(7, rollout, 1, device));
      assert.deepEqual(
        devices.filter((device, i) => has(7, rollout, i + 2, device)),
        included,
      );
      const share = included.length / 200;
      assert.ok(Math.abs(share - rollout) < 2, `${rollout}: ${share}`);
    }
    const both = devices.filter((device) => has(1, 50, 1, device) && has(2, 50, 1, device));
    assert.ok(Math.abs(both.length / 200 - 25) < 2, `${both.length}`);
  });
});
