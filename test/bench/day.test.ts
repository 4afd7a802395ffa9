import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachMinute, once, sdk } from '../../bench/day/clients.ts';
import { ONE_ZONE, peakOf, startsByMinute, WORLD } from '../../bench/day/curve.ts';
import { capacityOf, LAYOUTS, type Layout, loadOf } from '../../bench/day/layouts.ts';
import { simulate } from '../../bench/day/storm.ts';

const near = (actual: number, expected: number, by: number, what?: string) =>
  assert.ok(Math.abs(actual - expected) <= by, `${what ?? ''} ${actual} is not about ${expected}`);

test('a day has all of its starts, most of them in the morning, and a wide world has less of a morning', () => {
  for (const zones of [WORLD, ONE_ZONE]) {
    const minutes = startsByMinute(zones);
    near(
      minutes.reduce((sum, part) => sum + part, 0),
      1,
      0.001,
    );
  }
  const [minutes, world] = [startsByMinute(ONE_ZONE), startsByMinute(WORLD)];
  // 9:00 by the clock of one hour ahead.
  assert.equal(Math.floor(minutes.indexOf(Math.max(...minutes)) / 60), 8);
  assert.ok(peakOf(minutes) > 2 * peakOf(world));
});

test('a layout does as much as its busiest part', () => {
  const sqlite = LAYOUTS[0] as Layout;
  const postgres: Layout = { ...sqlite, engine: 'postgres', databaseCores: 2 };
  const mix = { validate: 1, seen: 1 };
  assert.equal(capacityOf(sqlite, mix).part, 'node');
  assert.equal(capacityOf(sqlite, { activate: 1 }).part, 'writer');
  assert.equal(capacityOf({ ...postgres, nodes: 100 }, mix).part, 'database');
  const [one, two] = [postgres, { ...postgres, nodes: 2 }].map((layout) => capacityOf(layout, mix).times);
  near(Number(two) / Number(one), 2, 0.001);
  const parts = { ...postgres, parts: 3 };
  near(loadOf(parts, mix).database, loadOf(postgres, mix).database / 3, 1e-9);
});

const STORM = { clients: 6_000, within: 60, waiting: 20 };

test('as many starts as can be served are served at the first try', () => {
  for (const client of [sdk(5), once, eachMinute]) {
    const { first, never, attempts } = simulate({ ...STORM, client, capacity: 110 });
    assert.deepEqual([first.served, never, attempts], [1, 0, 1], client.name);
  }
});

test('of twice as many, half are refused: gone for good, or served as soon as the service can', () => {
  const gone = simulate({ ...STORM, client: once, capacity: 50 });
  near(gone.first.served, 0.5, 0.01);
  near(gone.never, 0.5, 0.01);
  const back = simulate({ ...STORM, client: eachMinute, capacity: 50 });
  assert.equal(back.never, 0);
  near(back.served.half, 60, 2);
  near(back.served.all, 120, 2);
  assert.ok(back.p99 <= STORM.waiting / 50 + 0.1, 'nobody waits longer than those before take');
  const slow = simulate({ ...STORM, client: sdk(5), capacity: 50 });
  assert.equal(slow.never, 0);
  assert.ok(slow.served.all > 300, 'after the next check');
});

test('a line that is longer than anyone’s patience: answers come to clients that have left', () => {
  const again = { ...eachMinute, again: (failures: number) => (failures < 10 ? 60 : null) };
  const seen = simulate({ ...STORM, clients: 600, capacity: 5, waiting: 300, client: again });
  assert.ok(seen.first.late > 0.4, JSON.stringify(seen));
  assert.ok(seen.never > 0.5, 'who comes again finds the line as long as before');
});

test('the SDK asks again in a check, after its pause', () => {
  const client = sdk(5);
  for (let failures = 1; failures <= 12; failures++) {
    for (const running of [0, 10, 299, 4_000]) {
      const again = client.again(failures, running) as number;
      assert.equal((again + running) % 300, 0);
      assert.ok(again > 0 && again <= 3_600 + 300);
    }
  }
});
