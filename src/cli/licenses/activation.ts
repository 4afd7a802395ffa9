import { findActivation } from '../../app/licenses/activations.ts';
import { findLicense } from '../../app/licenses/licenses.ts';
import type { LicensedActivation } from '../../domain/activation.ts';
import { integer, MAX_REFERENCE, oneOf, optional, text } from '../../domain/fields.ts';
import type { Outcome } from '../../domain/refusal.ts';
import type { Service } from '../../installation/service.ts';
import type { Reads } from '../../store/store.ts';
import { type AddCommand, define, group } from '../define.ts';
import { orFail } from '../failure.ts';
import { flagsOf, LIMIT, newestFlags } from '../flags.ts';
import { OWNER, opening } from '../open.ts';
import { answer, answerNewest } from '../output.ts';
import { presentActivation } from '../present.ts';
import { softwareNamed } from '../releases/named.ts';
import { printable } from '../table.ts';
import { ACTIVATION_COLUMNS } from './license-words.ts';

const list = define({
  name: 'list',
  description: 'List activations, newest first',
  flags: {
    ...flagsOf(
      {
        license: optional(text({ min: 1, max: 255 })),
        software: optional(text({ min: 1, max: 255 })),
        label: optional(text({ min: 1, max: 255 })),
        address: optional(text({ min: 1, max: 255 })),
        state: optional(oneOf(['valid', 'deactivated', 'all'])),
      },
      {
        license: ['key', 'Only activations of this license, by key or hashed-{hash}'],
        software: ['name', 'Only activations for this software, by slug or id'],
        label: ['text', 'Only labels that begin with this text, in any case'],
        address: ['address', 'Only activations from this IP address'],
        state: ['state', 'valid, deactivated or all (default: all)'],
      },
    ),
    ...newestFlags('activations'),
  },
  examples: {
    'Devices that use a license': 'latchkey activation list --license ACME-0001 --state valid',
    'The tokens of a device, in a script':
      'latchkey activation list --label Laptop --json | jq -r .activations[].token',
  },
  action: ({ run, values: { license, software, label, state, limit, before, ...values } }) =>
    opening(run, async ({ store: { read } }) => {
      const filter = {
        ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
        ...(license !== null && { licenseId: orFail(await findLicense(read, license, OWNER)).id }),
        ...(software !== null && { softwareId: (await softwareNamed(read, software)).id }),
        ...(label !== null && { labels: [label] }),
        ...(state !== null && state !== 'all' && { isValid: state === 'valid' }),
      };
      const page = { before, limit: limit ?? LIMIT, counted: false };
      const found = await read.activations.search(filter, page);
      answerNewest(run, 'activations', found, present, ACTIVATION_COLUMNS);
    }),
});

const present = ({ activation, license }: LicensedActivation) => ({
  ...presentActivation(activation),
  license_key: license.key,
});

/** Finds an activation by its token or its id. @throws Failure */
async function activationNamed(read: Reads, named: string): Promise<LicensedActivation> {
  const byToken = await findActivation(read, named, OWNER);
  const id = integer({ min: 1, max: MAX_REFERENCE }).read(named);
  return orFail(byToken.ok || !id.ok ? byToken : await findActivation(read, { id: id.value }, OWNER));
}

/** Defines a command that changes an activation. @param change returns the changed activation; null if it was deleted */
const changeOf = (
  name: 'deactivate' | 'reactivate' | 'delete',
  description: string,
  change: (
    service: Service,
    activation: LicensedActivation['activation'],
  ) => Promise<Outcome<LicensedActivation | null>>,
): AddCommand =>
  define({
    name,
    description,
    argument: ['<activation>', 'Its token, or its id as shown by "list"'],
    examples: {
      'By its id': `latchkey activation ${name} 12`,
      'By its token': `latchkey activation ${name} 2b1f9c0de4a85b7766d1c3f0aa94e5b8d7c60f21`,
    },
    action: ({ run }, named) =>
      opening(run, async (service) => {
        const found = await activationNamed(service.store.read, named);
        const { activation, license } = found;
        const changed = orFail(await change(service, activation)) ?? found;
        const label = activation.label === null ? '' : ` (${printable(activation.label)})`;
        answer(
          run,
          present(changed),
          () =>
            `Activation ${activation.id}${label} of license ${printable(license.key)} is ${name.replace(/e$/, '')}ed.`,
        );
      }),
  });

export const activationCommands = group('activation', 'List, deactivate, reactivate and delete activations', [
  list,
  changeOf('deactivate', 'Deactivate an activation and free its seat', ({ execute }, { token }) =>
    execute('deactivate-activation', { token }, OWNER),
  ),
  changeOf(
    'reactivate',
    'Make a deactivated activation valid again, if its license has a free seat',
    ({ execute }, { id }) => execute('reactivate-activation', { id }, OWNER),
  ),
  changeOf('delete', 'Delete an activation permanently, and free its seat', ({ execute }, { id }) =>
    execute('delete-activation', { id }, OWNER),
  ),
]);
