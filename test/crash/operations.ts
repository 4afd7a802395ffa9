import { newKey, newName } from '../support/http/api.ts';
import { activateOwn, activateShared, deactivate, reactivate } from './activation-operations.ts';
import { keyOf, mine, ownLicense, some } from './belongings.ts';
import type { Client } from './client.ts';
import {
  BATCH_ORDERS,
  type Batch,
  certain,
  differs,
  type Generator,
  type License,
  type LicenseState,
} from './journal.ts';
import { deleteRelease, download, upload } from './release-operations.ts';

const [LEAST_KEYS, MOST_KEYS] = [100, 4_000];

type Operation = (client: Client) => Promise<unknown>;

/** The weight of each operation among all. */
const OPERATIONS: [weight: number, operation: Operation][] = [
  [22, createLicense],
  [14, updateLicense],
  [4, deleteLicense],
  [5, readLicense],
  [14, activateOwn],
  [14, activateShared],
  [12, deactivate],
  [10, reactivate],
  [2, createGenerator],
  [1.5, generate],
  [4, upload],
  [1, deleteRelease],
  [3, download],
];
const TOTAL_WEIGHT = OPERATIONS.reduce((sum, [weight]) => sum + weight, 0);

/** Runs one random operation. Creates a license if the operation has no record to work on. */
export async function operate(client: Client): Promise<void> {
  let at = client.random.next() * TOTAL_WEIGHT;
  for (const [weight, operation] of OPERATIONS) {
    at -= weight;
    if (at >= 0) continue;
    if (!(await operation(client))) await createLicense(client);
    return;
  }
}

async function createLicense(client: Client): Promise<true> {
  const { random } = client;
  const state: LicenseState = {
    key: newKey(),
    orderId: random.between(1, 1_000_000),
    userId: random.between(1, 1_000_000),
    limit: random.between(1, 5),
  };
  const license: License = { possible: [null], activations: [], unanswered: 0 };
  mine(client).licenses.push(license);
  const json = {
    license_key: state.key,
    order_id: state.orderId,
    user_id: state.userId,
    activations_limit: state.limit,
    valid_for: 0,
    status: 3,
  };
  await client.change('create', license, state, ['POST', '/licenses', { json }]);
  return true;
}

/** Changes several fields in one request, so that a partial write would show. */
async function updateLicense(client: Client): Promise<boolean> {
  const { random } = client;
  const license = ownLicense(client);
  if (!license) return false;
  const now = certain(license) as LicenseState;
  const next = {
    ...now,
    key: random.chance(0.3) ? newKey() : now.key,
    orderId: random.between(1, 1_000_000),
    userId: random.between(1, 1_000_000),
  };
  const json = { license_key: next.key, order_id: next.orderId, user_id: next.userId };
  const kind = next.key === now.key ? 'update' : 'rename';
  await client.change(kind, license, next, ['PUT', `/licenses/${now.key}`, { json }]);
  return true;
}

async function deleteLicense(client: Client): Promise<boolean> {
  const license = ownLicense(client);
  if (!license) return false;
  await client.change('delete', license, null, ['DELETE', `/licenses/${keyOf(license)}`]);
  return true;
}

async function readLicense(client: Client): Promise<boolean> {
  const license = ownLicense(client);
  if (!license) return false;
  const answer = await client.call('read', ['GET', `/licenses/${keyOf(license)}`]);
  const fault = answer?.status === 200 ? differs(license, answer.body.data) : null;
  if (fault) client.journal.faults.push(fault);
  return true;
}

async function createGenerator(client: Client): Promise<true> {
  const generator: Generator = { name: newName(), id: null, possible: [null] };
  mine(client).generators.push(generator);
  const json = {
    name: generator.name,
    charset: 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789',
    chunks: 4,
    chunk_length: 5,
    separator: '-',
    activations_limit: 3,
  };
  const answer = await client.change('generator', generator, 'there', ['POST', '/generators', { json }]);
  if (answer) generator.id = answer.body.data.id;
  return true;
}

async function generate(client: Client): Promise<boolean> {
  const { journal, random } = client;
  const generator = some(client, mine(client).generators, (one) => one.id !== null);
  if (!generator) return createGenerator(client);
  const amount = random.magnitude(LEAST_KEYS, MOST_KEYS);
  const batch: Batch = { orderId: BATCH_ORDERS + journal.batches.length, keys: null, possible: [null] };
  journal.batches.push(batch);
  const json = { amount, save: true, order_id: batch.orderId };
  const path = `/generators/${generator.id}/generate`;
  const answer = await client.change('generate', batch, amount, ['POST', path, { json }]);
  if (!answer) return true;
  batch.keys = answer.body.data;
  const distinct = new Set(batch.keys).size;
  if (distinct !== amount) journal.faults.push(`${path}: ${distinct} keys for ${amount}`);
  return true;
}
