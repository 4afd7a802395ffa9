import { openService } from '../../src/installation/service.ts';
import { type SignedInClient, signedIn } from '../../test/support/console/console.ts';
import { storeConfig } from '../../test/support/service.ts';
import { MASTER_KEY } from '../run/dataset.ts';
import type { Session } from '../run/session.ts';

/** Signs in as a new owner. */
export async function signIn({ database, folder, service: { port } }: Session): Promise<SignedInClient> {
  const service = await openService({
    ...storeConfig(folder),
    databaseUrl: database.settings.LATCHKEY_DATABASE_URL ?? null,
    masterKey: Buffer.from(MASTER_KEY, 'hex'),
  });
  try {
    return await signedIn({ service, port }, 'owner');
  } finally {
    await service.close();
  }
}
