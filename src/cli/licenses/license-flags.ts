import { numberedName, optional, reference, text } from '../../domain/fields.ts';
import { fullLicenseShape, LICENSE_SOURCE, licenseStatus } from '../../domain/licenses/license.ts';
import { commaSeparated, DATE_FORMS, flagsOf } from '../flags.ts';

/** The flags for the terms of licenses and generators. */
export const termsFlags = {
  seatTtl: [
    'seconds',
    'Seconds after its last activate or validate at which a device loses its floating seat; 0 for node-locked (default: 0)',
  ],
  reclaimAfterDays: ['days', 'Days unseen after which a device may lose its seat; 0 for never (default: 0)'],
  match: [
    'name',
    'What identifies a device: fingerprint, or label for programs that send no fingerprint (default: fingerprint)',
  ],
  borrowMaxHours: ['hours', 'Hours that a floating seat may be borrowed for; 0 for none (default: 0)'],
  takeoversPerMonth: ['n', 'Seats that the customer may take over in 30 days; 0 for none (default: 0)'],
  entitlements: ['names', 'Features that the customer may use, separated by commas', 'repeated'],
  leaseRefreshHours: ['hours', 'Hours after which programs fetch a new lease (default: 24)'],
  leaseDays: ['days', 'Days that a lease is good for (default: 14)'],
  leaseGraceDays: ['days', 'Days after that in which programs go on with a warning (default: 7)'],
  offlineLeaseDays: ['days', 'Days that the lease of a device without network is good for (default: 90)'],
} as const;

/** The argument that names a license. */
export const NAMED = ['<key>', 'License key, or hashed-{hash}'] as const;

export const licenseFlags = flagsOf(fullLicenseShape, {
  licenseKey: ['key', 'License key, 1 to 255 characters, stored as given'],
  validFor: ['days', 'Days from now until it expires; 0 for no limit (default: 0)'],
  status: ['name', 'sold, delivered, active, inactive, disabled, or 1 to 5 (default: active)'],
  activationsLimit: ['n', 'Maximum number of valid activations; 0 for no limit (default: 0)'],
  orderId: ['id', 'Order of the license'],
  productId: ['id', 'Product of the license'],
  userId: ['id', 'User of the license'],
  customerEmail: ['address', 'Email address of the customer, for your team'],
  expiresAt: ['date', `When it expires, UTC: ${DATE_FORMS}`],
  ...termsFlags,
});

/** Flags for the filters of the API. */
export const filterFlags = flagsOf(
  {
    status: optional(commaSeparated(licenseStatus)),
    licenseKey: optional(text({ min: 1, max: 255 })),
    orderId: optional(reference()),
    productId: optional(reference()),
    userId: optional(reference()),
    source: optional(numberedName(Object.keys(LICENSE_SOURCE))),
  },
  {
    status: ['names', 'Only these statuses: sold, delivered, active, inactive, disabled, or 1 to 5'],
    licenseKey: ['key', 'Only this license, by key or hashed-{hash}'],
    orderId: ['id', 'Only licenses of this order'],
    productId: ['id', 'Only licenses of this product'],
    userId: ['id', 'Only licenses of this user'],
    source: ['name', 'Only licenses from this source: generator, import, api, migration, or 1 to 4'],
  },
);
