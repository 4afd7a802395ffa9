import { randomUUID } from 'node:crypto';
import { newKey } from '../http/api.ts';
import type { Running } from '../service.ts';
import { actor, type Changes } from './audited.ts';

/** Changes by the commands that create many records at once. */
export const batchChanges = ({ service: { execute } }: Running): Changes => ({
  'commit-staged-licenses': [
    ['license.import'],
    async () => {
      const batch = randomUUID();
      const row = {
        orderId: null,
        productId: null,
        userId: null,
        expiresAt: null,
        validFor: 0,
        status: 3,
        activationsLimit: 0,
      };
      const licenses = [1, 2].map((at) => ({ ...row, row: at, key: newKey() }));
      await execute('stage-licenses', { batch, licenses }, actor);
      return { batch, rows: 2, source: 2, generatorId: null, skipConflicts: false };
    },
  ],
  'commit-move': [
    ['license.move_in'],
    async () => {
      const values = { licenseId: 1, name: 'n', value: null };
      const stamps = { createdAt: '2026-01-01 00:00:00', createdBy: 0, updatedAt: null, updatedBy: null };
      const form = { charset: 'AB', chunks: 1, chunkLength: 4, separator: '', prefix: null, suffix: null };
      const generator = { name: 'g', ...form, activationsLimit: 0, expiresIn: 0, ...stamps };
      const digest = new Uint8Array(32);
      const records = [
        { kind: 'generator' as const, sourceId: 1, digest, values: generator },
        { kind: 'license_meta' as const, sourceId: 1, digest, values },
      ];
      await execute('stage-records', { shop: 's', records }, actor);
      const gone = { generator: [], api_key: [], license: [], license_meta: [], activation: [] };
      return { shop: 's', plugin: 'dlm', staged: 2, gone, dryRun: false };
    },
  ],
});
