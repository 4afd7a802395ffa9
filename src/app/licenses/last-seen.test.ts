import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Activation } from '../../domain/activation.ts';
import { createLastSeen } from './last-seen.ts';

test('what many devices validate at once is noted in parts, in the order of ids', async () => {
  const parts: number[][] = [];
  const seen = createLastSeen(
    async (_name, input) => {
      parts.push(input.map(({ id }) => id));
      return null;
    },
    () => Date.UTC(2026, 10, 24),
  );
  const ids = Array.from({ length: 2_500 }, (_, i) => i + 1);
  const before = '2026-11-22 00:00:00';
  for (const id of ids.toReversed()) seen.note({ id, createdAt: before, lastSeenAt: null } as Activation);
  await seen.flush();
  assert.deepEqual(
    parts.map(({ length }) => length),
    [1_000, 1_000, 500],
  );
  assert.deepEqual(parts.flat(), ids);
});
