import { inSteps } from '../../app/discarding.ts';
import { findLicense } from '../../app/licenses/licenses.ts';
import { restoreAll } from '../../app/licenses/trash.ts';
import { required } from '../../domain/fields.ts';
import { ACTIVE, DISABLED, type License } from '../../domain/licenses/license.ts';
import { type Bulk, bulkShape } from '../../domain/licenses/license-bulk.ts';
import { notFound, refused } from '../../domain/refusal.ts';
import { define } from '../define.ts';
import { Failure, orFail } from '../failure.ts';
import { flagsOf, refuseNoChange } from '../flags.ts';
import { OWNER, opening } from '../open.ts';
import { answer } from '../output.ts';
import { statusName } from '../present.ts';
import { printable } from '../table.ts';
import { licenseFlags, NAMED } from './license-flags.ts';
import { licenseWords, now, present } from './license-words.ts';

const recordedDays = 'Days of validity, kept for information: --expires-at changes when it expires';

export const update = define({
  name: 'update',
  description: 'Change a license; values without a flag stay as they are',
  argument: NAMED,
  changes: { ...licenseFlags, validFor: { ...licenseFlags.validFor, help: ['days', recordedDays] } },
  examples: {
    'Five devices, for another order':
      'latchkey license update ACME-0001 --activations-limit 5 --order-id 1002',
    'Without an end, and for no product': 'latchkey license update ACME-0001 --clear expires-at,product-id',
  },
  async action({ run, changes }, named) {
    refuseNoChange(changes);
    await opening(run, async (service) => {
      const license = orFail(await service.execute('update-license', { named, changes }, OWNER));
      const shown = present(service, license);
      answer(run, shown, () => licenseWords(license, shown.hash, now(service)));
    });
  },
});

export const extend = define({
  name: 'extend',
  description: 'Extend a license, counted from its expiry, or from now if it has expired',
  argument: NAMED,
  flags: flagsOf(
    { days: required(bulkShape.extendDays.field) },
    { days: ['n', 'Days by which it expires later, 1 to 36500'] },
  ),
  examples: {
    'By a year': 'latchkey license extend ACME-0001 --days 365',
    'The new end, in a script': 'latchkey license extend ACME-0001 --days 30 --json | jq -r .expires_at',
  },
  action: ({ run, values }, named) =>
    opening(run, async (service) => {
      const { id, key, expiresAt } = orFail(await findLicense(service.store.read, named, OWNER));
      if (expiresAt === null)
        throw new Failure(1, 'license_never_expires', `License ${printable(key)} never expires.`);
      const input = { ids: [id], change: { extendDays: values.days } };
      orFail(await service.execute('change-licenses', input, OWNER), { extendDays: 'days' });
      const license = orFail(await findLicense(service.store.read, { id }, OWNER));
      answer(
        run,
        present(service, license),
        () => `License ${printable(key)} now expires at ${license.expiresAt} UTC.`,
      );
    }),
});

/** Defines a command that changes the status of a license. The command fails if the change does not apply to the license. */
const setStatus = (
  name: 'disable' | 'enable',
  description: string,
  changeOf: (license: License) => Bulk,
  refusal: (license: License) => string,
) =>
  define({
    name,
    description,
    argument: NAMED,
    examples: { 'By its key': `latchkey license ${name} ACME-0001` },
    action: ({ run }, named) =>
      opening(run, async (service) => {
        const found = orFail(await findLicense(service.store.read, named, OWNER));
        const { previous } = orFail(await service.execute('change-licenses', changeOf(found), OWNER));
        const license = orFail(await findLicense(service.store.read, { id: found.id }, OWNER));
        const title = `License ${printable(license.key)}`;
        if (previous.length === 0)
          throw new Failure(1, `license_not_${name}d`, `${title} ${refusal(license)}.`);
        answer(run, present(service, license), () => `${title} is ${name}d.`);
      }),
  });

export const disable = setStatus(
  'disable',
  'Refuse new activations of a license; programs learn of it when they validate',
  ({ id }) => ({ ids: [id], change: { status: DISABLED } }),
  () => 'is already disabled',
);

export const enable = setStatus(
  'enable',
  'Make a disabled license active again',
  // A restore changes nothing if the license is not disabled.
  ({ id, expiresAt }) => ({
    restore: [{ id, status: ACTIVE, expiresAt, setStatus: DISABLED, setExpiresAt: expiresAt }],
  }),
  ({ status }) => `is not disabled: its status is ${statusName(status)}`,
);

export const remove = define({
  name: 'delete',
  description: 'Delete a license and its activations',
  argument: NAMED,
  notes: `It can be restored for LATCHKEY_TRASH_DAYS. To end a license and keep it in lists, disable it
instead.`,
  examples: {
    'By its key': 'latchkey license delete ACME-0001',
    'By its hash': 'latchkey license delete hashed-0f3c…',
  },
  action: ({ run }, named) =>
    opening(run, async (service) => {
      const license = orFail(await findLicense(service.store.read, named, OWNER));
      const shown = present(service, license);
      const input = { named: { id: license.id } };
      await inSteps(async () => orFail(await service.execute('delete-license', input, OWNER)));
      answer(run, shown, () => `Deleted license ${printable(license.key)} and its activations.`);
    }),
});

export const restore = define({
  name: 'restore',
  description: 'Restore a deleted license with its activations',
  argument: ['<key>', 'License key; of several deleted licenses with this key, the last deleted one'],
  examples: { 'By its key': 'latchkey license restore ACME-0001' },
  action: ({ run }, key) =>
    opening(run, async (service) => {
      const { read } = service.store;
      const [deleted] = (await read.trash.list(null, 1, key)).items;
      if (!deleted) return orFail(notFound('deleted_license', key));
      const { taken } = orFail(await restoreAll(service.execute, [deleted.id], OWNER));
      if (taken.length > 0) return orFail(refused('license_key_exists', { named: key }));
      const license = orFail(await findLicense(read, { id: deleted.id }, OWNER));
      const words = () => `Restored license ${printable(key)} and its activations.`;
      answer(run, present(service, license), words);
    }),
});
