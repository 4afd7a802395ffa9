import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachMinute, once, sdk } from '../../bench/day/clients.ts';
import { ONE_ZONE, peakOf, startsByMinute, WORLD } from '../../bench/day/curve.ts';
import { capacityOf, LAYOUTS, type Layout, loadOf } from '../../bench/day/layouts.ts';
import { simulate } from '../../bench/day/storm.ts';

const near = (actual: number, expected: number, by: number, what?: string) =>
  assert.ok(Math.abs(actual - expected) <= by, `${what ?? ''} ${actual} is not about ${expected}`);

test('the starts of a day add up to all starts and peak in the morning, less so with clients in many time zones', () => {
  for (const zones of [WORLD, ONE_ZONE]) {
    const minutes = startsByMinute(zones);
    near(
      minutes.reduce((sum, part) => sum + part, 0),
      1,
      0.001,
    );
  }
  const [minutes, world] = [startsByMinute(ONE_ZONE), startsByMinute(WORLD)];
  // 9:00 in a time zone one hour ahead of UTC is 8:00 UTC.
  assert.equal(Math.floor(minutes.indexOf(Math.max(...minutes)) / 60), 8);
  assert.ok(peakOf(minutes) > 2 * peakOf(world));
});

test('the busiest part of a layout limits its capacity', () => {
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

test('the service answers every start at the first attempt if it has the capacity', () => {
  for (const client of [sdk(5), once, eachMinute]) {
    const { first, never, attempts } = simulate({ ...STORM, client, capacity: 110 });
    assert.deepEqual([first.served, never, attempts], [1, 0, 1], client.name);
  }
});

test('at twice the capacity half of the starts are refused; retrying clients succeed once there is capacity', () => {
  const gone = simulate({ ...STORM, client: once, capacity: 50 });
  near(gone.first.served, 0.5, 0.01);
  near(gone.never, 0.5, 0.01);
  const back = simulate({ ...STORM, client: eachMinute, capacity: 50 });
  assert.equal(back.never, 0);
  near(back.served.half, 60, 2);
  near(back.served.all, 120, 2);
  assert.ok(back.p99 <= STORM.waiting / 50 + 0.1, 'no client waits longer than the queue ahead of it takes');
  const slow = simulate({ ...STORM, client: sdk(5), capacity: 50 });
  assert.equal(slow.never, 0);
  assert.ok(slow.served.all > 300, 'served only after the next check');
});

test('if the queue is longer than clients wait, answers reach clients that have already left', () => {
  const again = { ...eachMinute, again: (failures: number) => (failures < 10 ? 60 : null) };
  const seen = simulate({ ...STORM, clients: 600, capacity: 5, waiting: 300, client: again });
  assert.ok(seen.first.late > 0.4, JSON.stringify(seen));
  assert.ok(seen.never > 0.5, 'a client that retries finds the queue as long as before');
});

test('the SDK retries at the first check after its pause', () => {
  const client = sdk(5);
  for (let failures = 1; failures <= 12; failures++) {
    for (const running of [0, 10, 299, 4_000]) {
      const again = client.again(failures, running) as number;
      assert.equal((again + running) % 300, 0);
      assert.ok(again > 0 && again <= 3_600 + 300);
    }
  }
});
