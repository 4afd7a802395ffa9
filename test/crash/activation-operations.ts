import { keyOf, ownLicense, some } from './belongings.ts';
import type { Client } from './client.ts';
import { certain, type License, type LicenseState, validOf } from './journal.ts';

const FULL = 'license_activation_limit_reached';

async function activate(client: Client, license: License, refusals: string[]): Promise<void> {
  client.journal.touched.add(license);
  // The activation may exist before the answer arrives.
  license.unanswered++;
  const request = ['GET', `/licenses/activate/${keyOf(license)}`] as const;
  const answer = await client.call('activate', [...request], refusals);
  if (answer) license.unanswered--;
  if (answer?.status !== 200) return;
  license.activations.push({
    token: answer.body.data.token,
    client: client.number,
    possible: ['valid'],
  });
}

export async function activateOwn(client: Client): Promise<boolean> {
  const hasSeat = (one: License) => validOf(one).length < (certain(one) as LicenseState).limit;
  const license = ownLicense(client, hasSeat);
  if (license) await activate(client, license, []);
  return license !== undefined;
}

export async function activateShared(client: Client): Promise<boolean> {
  const license = client.random.pick(client.journal.shared);
  if (license) await activate(client, license, [FULL]);
  return license !== undefined;
}

/** Picks one of the client's activations, of its own licenses or of the shared ones. */
function ownActivation(client: Client, state: 'valid' | 'ended') {
  const isShared = client.random.chance(0.5);
  const license = isShared ? client.random.pick(client.journal.shared) : ownLicense(client);
  const activation = some(
    client,
    license?.activations ?? [],
    (one) => one.client === client.number && certain(one) === state,
  );
  return license && activation ? { license, activation, isShared } : null;
}

export async function deactivate(client: Client): Promise<boolean> {
  const found = ownActivation(client, 'valid');
  if (!found) return false;
  client.journal.touched.add(found.license);
  const path = `/licenses/deactivate/${found.activation.token}`;
  await client.change('deactivate', found.activation, 'ended', ['GET', path]);
  return true;
}

export async function reactivate(client: Client): Promise<boolean> {
  const found = ownActivation(client, 'ended');
  if (!found) return false;
  const { license, activation, isShared } = found;
  const isFull = !isShared && validOf(license).length >= (certain(license) as LicenseState).limit;
  client.journal.touched.add(license);
  const path = `/licenses/activate/${keyOf(license)}`;
  const query = { token: activation.token };
  const refusals = isShared || isFull ? [FULL] : [];
  const answer = await client.change('reactivate', activation, 'valid', ['GET', path, { query }], refusals);
  if (answer && isFull) client.journal.faults.push(`${path}: reactivated past the limit`);
  return true;
}
