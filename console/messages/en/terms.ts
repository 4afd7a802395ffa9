/** The terms of licenses and generators besides their seats: entitlements, and how long leases are good. */
export const terms = {
  ofGenerator: 'Every license that this generator creates gets a copy of the values below.',
  leases: 'Leases',
  field: {
    entitlements: 'Entitlements',
    lease_days: 'Good for (days)',
    lease_refresh_hours: 'Refreshed after (hours)',
    lease_grace_days: 'Grace period (days)',
    offline_lease_days: 'Good without a network (days)',
  },
  hint: {
    entitlements: 'Names of features that the customer may use, such as “pro”. Separate them with commas.',
    leases: 'With a lease, a program runs without a connection to this server.',
    lease_days: 'How long a program is licensed without fetching a new lease.',
    lease_refresh_hours: 'When a program that has a connection fetches a new lease.',
    lease_grace_days: 'How much longer it goes on with a warning. 0 for none.',
    offline_lease_days: 'For devices that never have a connection.',
  },
  leaseDays: 'Good for {{time}}',
  leaseRefresh: 'Refreshed after {{time}}',
  leaseGrace: '{{time}} of grace',
  offlineLease: '{{time}} without a network',
};
