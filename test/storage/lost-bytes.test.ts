import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { storedFiles } from '../support/http/artifacts.ts';
import { startService } from '../support/service.ts';

/** The bytes of a release are lost, and then the same bytes are uploaded again. */
test('a new upload restores lost bytes; if their last release is deleted meanwhile, the bytes do not stay', async (t) => {
  const bytes = randomBytes(1_000);
  const file = new File([bytes], 'x.zip');
  let putBack: () => Promise<unknown> = async () => null;
  const placed = new Set<string>();
  const api = await startService(t, {
    artifacts: (own) => ({
      ...own,
      async place(received) {
        if (placed.has(received.key)) await putBack();
        placed.add(received.key);
        await own.place(received);
      },
    }),
  });
  const [one, two, three] = [await api.software(), await api.software(), await api.software()];
  await api.release(one.id, { file });
  const [path = ''] = storedFiles(api.dataDir, bytes);
  rmSync(path);
  await api.release(two.id, { file });
  assert.deepEqual(storedFiles(api.dataDir, bytes), [path]);

  rmSync(path);
  putBack = () => Promise.all([one, two, three].map(({ id }) => api.ok('DELETE', `/software/${id}`)));
  await api.release(three.id, { file });
  assert.deepEqual(storedFiles(api.dataDir, bytes), []);
});
