import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findEvenDeleted } from '../../app/licenses/activations.ts';
import { findLicense } from '../../app/licenses/licenses.ts';
import { findHeldDownload } from '../../app/releases/downloads.ts';
import { findNamedSoftware } from '../../app/releases/software.ts';
import { updateFor } from '../../app/releases/updates.ts';
import { toDatetime } from '../../domain/datetime.ts';
import type { Holder } from '../../domain/releases/download.ts';
import { publicActorOf } from '../authentication.ts';
import { refuse, unwrap } from '../errors.ts';
import { sendDownload } from '../releases/download.ts';
import type { Services } from '../services.ts';
import { bearerOf, IS_PUBLIC, refuseHash, tokenOf } from './caller.ts';
import { OPERATIONS } from './documentation.ts';
import { presentUpdate } from './present.ts';
import { updateCheckInput } from './request.ts';

/** The update check, and the download that it leads to. @param api must have the prefix of the client API */
export function updateRoutes(api: FastifyInstance, services: Services): void {
  const { store, clock, downloadTokens, versions, settings } = services;
  const reads = store.read;
  const { downloadHours } = settings;

  /** Returns the activation that the bearer token names, or else the license with the key. @throws 401, 404 */
  async function holderOf(request: FastifyRequest, licenseKey: string | null): Promise<Holder> {
    const actor = publicActorOf(request);
    const token = bearerOf(request);
    if (licenseKey === null || token !== null)
      return unwrap(await findEvenDeleted(reads, token ?? tokenOf(request), actor));
    refuseHash(licenseKey);
    return { activation: null, license: unwrap(await findLicense(reads, licenseKey, actor)) };
  }

  api.post('/update-check', { ...IS_PUBLIC, schema: OPERATIONS.updateCheck }, async (request) => {
    const input = updateCheckInput.read(request);
    const holder = await holderOf(request, input.licenseKey);
    const software = await findNamedSoftware(reads, input.software);
    if (!software) throw refuse('software_not_covered');
    const found = await updateFor(
      { reads, downloadTokens, downloadHours },
      software,
      holder,
      { channel: input.channel ?? 'stable', installed: input.version },
      toDatetime(clock()),
    );
    if (input.version !== null && found.licenseKey !== null) versions.count(software.id, input.version);
    const { changelogHtml } = await import('../releases/changelog.ts');
    const addressOf = (token: string) => `${request.publicOrigin()}${api.prefix}/downloads/${token}`;
    return { update: presentUpdate(found, changelogHtml(found.changelogs), addressOf) };
  });

  api.route<{ Params: { token: string } }>({
    ...IS_PUBLIC,
    schema: { hide: true },
    // The framework's own HEAD route would send the size of an empty body.
    method: ['GET', 'HEAD'],
    // This is a download token, not an activation token: it is valid for one release and some hours.
    url: '/downloads/:token',
    handler: (request, reply) =>
      sendDownload(request, reply, services, {
        find: findHeldDownload,
        token: request.params.token,
        actor: publicActorOf(request),
        meta: null,
      }),
  });
}
