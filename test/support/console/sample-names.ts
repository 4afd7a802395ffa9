import type { Channel, ReleaseStatus } from '../../../src/domain/releases/release.ts';
import type { Random } from '../faults/random.ts';

/** The products of a small vendor. */
export const products = [
  { id: 101, name: 'Aurora Forms', slug: 'aurora-forms', prefix: 'AUR-', limit: 3, days: 365, type: 'wp' },
  {
    id: 102,
    name: 'Aurora Bookings',
    slug: 'aurora-bookings',
    prefix: 'AUB-',
    limit: 1,
    days: 365,
    type: 'wp',
  },
  {
    id: 205,
    name: 'Harbor Backup',
    slug: 'harbor-backup',
    prefix: 'HB-',
    limit: 2,
    days: 0,
    type: 'desktop',
  },
  {
    id: 310,
    name: 'Pinboard Theme',
    slug: 'pinboard-theme',
    prefix: 'PIN-',
    limit: 0,
    days: 365,
    type: 'wp',
  },
] as const;

export const agents: readonly (readonly string[])[] = [
  ['WordPress/6.8.3', 'WordPress/6.9', 'WordPress/6.7.4'],
  ['WordPress/6.8.3', 'WordPress/6.9'],
  ['HarborBackup/3.2.1 (Windows 11)', 'HarborBackup/3.2.1 (macOS 15.6)', 'HarborBackup/3.1.0 (Ubuntu 24.04)'],
  ['WordPress/6.9', 'WordPress/6.8.3'],
];

export interface SampleRelease {
  /** Index in the list of products. */
  product: number;
  version: string;
  channel: Channel;
  status: ReleaseStatus;
  rollout: number;
  daysAgo: number;
  changelog: string;
}

const stable = { channel: 'stable', status: 'published', rollout: 100 } as const;
/** The releases, oldest first. */
export const releases: readonly SampleRelease[] = [
  { ...stable, product: 0, version: '2.3.0', daysAgo: 89, changelog: 'Forms in several steps.' },
  { ...stable, product: 2, version: '3.1.0', daysAgo: 88, changelog: 'Backups to folders in the network.' },
  { ...stable, product: 1, version: '1.0.0', daysAgo: 87, changelog: 'First release.' },
  { ...stable, product: 3, version: '4.1.2', daysAgo: 86, changelog: 'Wider images on large screens.' },
  {
    ...stable,
    product: 0,
    version: '2.3.1',
    status: 'yanked',
    daysAgo: 61,
    changelog: 'Fixes uploads of large files.',
  },
  {
    ...stable,
    product: 0,
    version: '2.3.2',
    daysAgo: 60,
    changelog: 'Fixes uploads of large files, and the settings page that 2.3.1 broke.',
  },
  { ...stable, product: 2, version: '3.2.0', daysAgo: 44, changelog: 'Encrypted archives.\nFaster restore.' },
  {
    ...stable,
    product: 0,
    version: '2.4.0-beta.1',
    channel: 'beta',
    daysAgo: 31,
    changelog: 'Payments: first version for testers.',
  },
  {
    ...stable,
    product: 2,
    version: '3.2.1',
    daysAgo: 18,
    changelog: 'Fixes a pause at the end of a backup.',
  },
  { ...stable, product: 1, version: '1.1.0', daysAgo: 15, changelog: 'Calendars of several people.' },
  {
    ...stable,
    product: 0,
    version: '2.4.0-rc.1',
    channel: 'rc',
    daysAgo: 9,
    changelog: 'Payments with a receipt by mail.',
  },
  {
    ...stable,
    product: 0,
    version: '2.4.0',
    rollout: 25,
    daysAgo: 2,
    changelog: 'Payments.\nForms load in half the time.\nAccessible error messages.',
  },
  { ...stable, product: 3, version: '4.2.0', status: 'draft', daysAgo: 1, changelog: 'Dark colours.' },
];

const words = [
  [
    'blumen',
    'studio',
    'cafe',
    'atelier',
    'shop',
    'praxis',
    'yoga',
    'velo',
    'garten',
    'kite',
    'north',
    'maison',
  ],
  [
    'hartmann',
    'lindqvist',
    'okafor',
    'moreau',
    'tanaka',
    'novak',
    'silva',
    'becker',
    'rossi',
    'dubois',
    'quay',
  ],
] as const;
const machines = ['Laptop', 'Office PC', 'iMac', 'Server', 'Home PC', 'Reception'];

/** Returns a label for an activation: the domain of a site, or the name of a machine. */
export function labelOf(random: Random, product: number): string {
  const [first, second] = [random.pick(words[0]), random.pick(words[1])];
  if (product === 2)
    return `${random.pick(machines)} ${(second ?? '').replace(/^./, (letter) => letter.toUpperCase())}`;
  return `${random.chance(0.2) ? 'staging.' : ''}${first}-${second}.example`;
}

/** Returns the email address of a customer, the same for each of the customer's licenses. */
export const emailOf = (userId: number): string =>
  `${words[1][userId % words[1].length]}@${words[0][userId % words[0].length]}.example`;
