import assert from 'node:assert/strict';
import { FULL_ACCESS, hashCredentials, makeCredentials } from '../../../src/app/api-keys/credentials.ts';
import { createExecute, type Execute } from '../../../src/app/execute.ts';
import { storeRelease } from '../../../src/app/releases/uploads.ts';
import { ACTIVATION_SOURCE, type LicensedActivation } from '../../../src/domain/activation.ts';
import { type Actor, SYSTEM } from '../../../src/domain/actor.ts';
import { CLIENT_PRESET } from '../../../src/domain/api-key.ts';
import { toDatetime } from '../../../src/domain/datetime.ts';
import { LICENSE_SOURCE } from '../../../src/domain/licenses/license.ts';
import type { Outcome } from '../../../src/domain/refusal.ts';
import type { Service } from '../../../src/installation/service.ts';
import { createRandom, type Random } from '../faults/random.ts';
import { agents, emailOf, labelOf, products, releases, type SampleRelease } from './sample-names.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** How far back the samples go. */
const DAYS = 90;
const LICENSES = 240;

export interface Samples {
  /** License keys in order of creation. */
  keys: string[];
  softwareIds: number[];
}

/** A change, and when it happens, in milliseconds since the epoch. */
interface Event {
  at: number;
  happen: () => Promise<unknown>;
}

/**
 * Fills an empty service with the data of a small vendor after a quarter. The data are the same each time, except for
 * what the service itself draws at random. The commands that create them in production run here, each at its own time
 * before `now`.
 */
export async function makeSamples(service: Service, now = Date.now()): Promise<Samples> {
  const random = createRandom(20);
  let moment = now;
  const clock = () => moment;
  const { execute } = createExecute(service.store, clock);
  const services: Service = { ...service, execute, clock };
  const samples: Samples = { keys: [], softwareIds: [] };
  const events: Event[] = [];
  const start = now - DAYS * DAY_MS;
  const plan = (at: number, happen: Event['happen']) => {
    if (at <= now) events.push({ at, happen });
  };

  plan(start, () => makeCatalogue(execute, samples));
  for (const release of releases)
    plan(now - release.daysAgo * DAY_MS, () => makeRelease(services, samples, release, random));
  for (let i = 0; i < LICENSES; i++) {
    // Sales increase.
    const at = start + DAY_MS + Math.sqrt(random.next()) * (DAYS - 1) * DAY_MS;
    planLicense({ plan, execute, random, samples, now }, Math.min(at, now - HOUR_MS), i);
  }
  plan(now - 40 * DAY_MS, () => makeApiKeys(execute, now));
  plan(now, () => countVersions(execute, samples, now));
  for (let day = 0; day <= DAYS; day++) planUsage(plan, execute, random, start + day * DAY_MS, day);

  for (const event of events.sort((one, other) => one.at - other.at)) {
    moment = event.at;
    await event.happen();
  }
  return samples;
}

const BY_API: Actor = { ...SYSTEM, via: 'api', origin: '203.0.113.24' };
const BY_CLI: Actor = { ...SYSTEM, via: 'cli', origin: 'mira@office' };

/** Returns the value of a successful outcome. @throws AssertionError if the service refused a sample */
function must<T>(outcome: Outcome<T>): T {
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.value;
}

async function makeCatalogue(execute: Execute, samples: Samples): Promise<void> {
  for (const { id, name, slug, prefix, limit, days, type } of products) {
    const none = { url: null, tested: null, requires: null, requiresPhp: null, icons: null, banners: null };
    const software = { ...none, name, slug, type, productIds: [id], access: null };
    samples.softwareIds.push(must(await execute('create-software', software, BY_CLI)).id);
    const keys = { charset: 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789', chunks: 4, chunkLength: 5, separator: '-' };
    const generator = { ...keys, name, prefix, suffix: null, activationsLimit: limit, expiresIn: days };
    must(await execute('create-generator', generator, BY_CLI));
  }
}

async function makeRelease(
  services: Service,
  samples: Samples,
  { product, daysAgo: _, ...release }: SampleRelease,
  random: Random,
): Promise<void> {
  const bytes = random.bytes(random.between(4_000, 60_000));
  const software = String(samples.softwareIds[product]);
  const received = await services.artifacts.receive(oneChunk(bytes), bytes.length);
  const name = `${products[product]?.slug}-${release.version}.zip`;
  const isYanked = release.status === 'yanked';
  const input = { ...release, ...(isYanked && { status: 'published' as const }), upgradeNotice: null };
  const file = { ...received, name, type: 'application/zip' };
  const { id } = must(await storeRelease(services, { software, input }, file, BY_CLI));
  if (!isYanked) return;
  const named = { software, release: String(id) };
  must(
    await services.execute('update-release', { named, changes: { status: 'yanked' }, file: null }, BY_CLI),
  );
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

interface Planning {
  plan: (at: number, happen: Event['happen']) => void;
  execute: Execute;
  random: Random;
  samples: Samples;
  now: number;
}

const CHARACTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** Plans the sale of a license, and what its customer does with it afterwards. */
function planLicense({ plan, execute, random, samples, now }: Planning, at: number, i: number): void {
  const place = random.pick([0, 0, 0, 1, 1, 2, 2, 3]) ?? 0;
  const product = products[place] as (typeof products)[number];
  const chunk = () => Array.from({ length: 5 }, () => CHARACTERS[random.below(CHARACTERS.length)]).join('');
  const key = `${product.prefix}${[chunk(), chunk(), chunk(), chunk()].join('-')}`;
  const status = random.pick([1, 2, 2, 3, 3, 3, 3, 3, 3, 4]) ?? 3;
  // Some were sold elsewhere long ago, and expire about now.
  const ends = random.chance(0.25) ? now + random.between(-20, 40) * DAY_MS + random.below(DAY_MS) : null;
  plan(at, async () => {
    const userId = 500 + random.below(160);
    const input = {
      licenseKey: key,
      validFor: product.days,
      status,
      activationsLimit: product.limit,
      orderId: 10_240 + i,
      productId: product.id,
      userId,
      customerEmail: emailOf(userId),
      expiresAt: ends === null ? null : toDatetime(ends),
    };
    const source = ends === null ? LICENSE_SOURCE.api : LICENSE_SOURCE.import;
    samples.keys.push(must(await execute('create-license', { ...input, source }, BY_API)).key);
  });
  // Some customers renew early.
  if (ends === null && product.days > 0 && i % 6 === 0) {
    const until = toDatetime(at + 2 * product.days * DAY_MS);
    plan(at + (i % 40) * DAY_MS, () =>
      execute('update-license', { named: key, changes: { expiresAt: until } }, BY_API),
    );
  }
  if (status !== 3) return;
  const most = Math.min(product.limit || 6, random.pick([0, 1, 1, 1, 2, 3, 5]) ?? 1);
  for (let nth = 0; nth < most; nth++)
    planActivation({ plan, execute, random, samples, now }, at, key, place);
  if (random.chance(0.04))
    plan(at + random.between(10, 30) * DAY_MS, () =>
      execute('update-license', { named: key, changes: { status: 5 } }, BY_API),
    );
}

function planActivation(
  { plan, execute, random, samples, now }: Planning,
  sold: number,
  named: string,
  place: number,
): void {
  const at = sold + random.magnitude(HOUR_MS / 4, 20 * DAY_MS);
  const ipAddress = `198.51.100.${random.between(1, 254)}`;
  const userAgent = random.pick(agents[place] ?? []) ?? null;
  const label = labelOf(random, place);
  let made: LicensedActivation | null = null;
  plan(at, async () => {
    const input = { named, label, meta: null, token: null, software: samples.softwareIds[place] ?? null };
    const from = { source: ACTIVATION_SOURCE.api, ipAddress, userAgent };
    const outcome = await execute('activate-license', { ...input, ...from }, BY_API);
    // The service refuses if the license has expired or was disabled in the meantime.
    if (outcome.ok) made = outcome.value;
  });
  let later = at;
  while (random.chance(0.7)) {
    later += random.between(1, 12) * DAY_MS;
    const releaseId = latestRelease(place, now - later);
    plan(later, async () => {
      if (!made) return;
      const of = { licenseId: made.license.id, activationId: made.activation.id };
      await execute('record-download', { ...of, releaseId, ipAddress, userAgent, meta: null }, BY_API);
    });
  }
  if (random.chance(0.12))
    plan(later + HOUR_MS, async () => {
      if (made) await execute('deactivate-activation', { token: made.activation.token }, BY_API);
    });
}

/** Returns the id of the release that all customers of a product were offered this many milliseconds ago. */
function latestRelease(product: number, ago: number): number {
  const offered = (one: SampleRelease) =>
    one.product === product && one.channel === 'stable' && one.status === 'published' && one.rollout === 100;
  return releases.findLastIndex((one) => offered(one) && one.daysAgo * DAY_MS > ago) + 1;
}

async function makeApiKeys(execute: Execute, now: number): Promise<void> {
  const kinds = [
    { ...FULL_ACCESS, description: 'Shop checkout' },
    { ...FULL_ACCESS, ...CLIENT_PRESET, products: [101], description: 'Aurora Forms, inside the plug-in' },
    { ...FULL_ACCESS, ...CLIENT_PRESET, products: [205], description: 'Harbor Backup, inside the program' },
    { ...FULL_ACCESS, permission: 'read' as const, description: 'Monthly report' },
    { ...FULL_ACCESS, description: 'Old shop', expiresAt: toDatetime(now - 3 * DAY_MS) },
    { ...FULL_ACCESS, permission: 'write' as const, description: 'Build server: publishes releases' },
  ];
  for (const [i, kind] of kinds.entries()) {
    const hashed = hashCredentials(makeCredentials());
    const id = must(await execute('create-api-key', { ...kind, ...hashed, userId: 1 }, BY_CLI));
    if (i < 3)
      await execute('touch-api-keys', [{ id, at: toDatetime(now - i * HOUR_MS), keyHash: null }], SYSTEM);
  }
}

/** Counts the programs that asked for updates today: most have a recent version. */
function countVersions(execute: Execute, samples: Samples, now: number): Promise<unknown> {
  const counts = releases.map(({ product, version, daysAgo }) => ({
    softwareId: samples.softwareIds[product] as number,
    version,
    checks: Math.ceil(900 / (daysAgo + 5)),
  }));
  return execute('count-versions', { day: toDatetime(now).slice(0, 10), counts }, SYSTEM);
}

/** Plans the counters of a day. */
function planUsage(plan: Planning['plan'], execute: Execute, random: Random, at: number, day: number): void {
  const isWeekend = [0, 6].includes(new Date(at).getUTCDay());
  const busy = (40 + day * 2.2) * (isWeekend ? 0.55 : 1);
  const counted = { validations: 9, activations: 0.08, deactivations: 0.02 };
  plan(at, () => {
    const counts = Object.entries(counted).map(([name, part]) => ({
      day: toDatetime(at).slice(0, 10),
      counted: name as keyof typeof counted,
      count: Math.max(1, Math.round(busy * part * (0.8 + random.next() * 0.4))),
    }));
    return execute('count-usage', counts, SYSTEM);
  });
}
