import type { FastifyInstance } from 'fastify';
import { findLicense } from '../../app/licenses/licenses.ts';
import { findLicenseDownload } from '../../app/releases/downloads.ts';
import { listSoftware } from '../../app/releases/software.ts';
import { findLicenseUpdate } from '../../app/releases/updates.ts';
import type { Actor } from '../../domain/actor.ts';
import { toDatetime } from '../../domain/datetime.ts';
import { licenseShape } from '../../domain/licenses/license.ts';
import type { Outcome } from '../../domain/refusal.ts';
import { withCredentials } from '../authentication.ts';
import { refuse, unwrap } from '../errors.ts';
import { create } from '../input.ts';
import { sendDownload } from '../releases/download.ts';
import type { Services } from '../services.ts';
import { presentUpdate } from './present.ts';
import { lmfwcRouter } from './route.ts';

/** The routes of the plugin's Pro edition for programs that update themselves. */
export function productRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock, downloadTokens, settings } = services;
  const reads = store.read;
  const updates = { reads, downloadTokens, downloadHours: settings.downloadHours };
  const route = lmfwcRouter(app);

  /** Passes an outcome on. @throws 404 without software: then there is no such route, as in a shop without the Pro edition */
  async function orNoRoute<T>(outcome: Outcome<T>, actor: Actor): Promise<Outcome<T>> {
    if (outcome.ok) return outcome;
    const { items } = await listSoftware(reads, { limit: 1, offset: 0, before: null }, actor);
    if (items.length === 0) throw refuse('no_route');
    return outcome;
  }

  route('GET', '/products/update/:license_key', {
    endpoint: 'software.read',
    async handler({ request, params: { license_key: named }, actor }) {
      const update = await findLicenseUpdate(updates, named, actor, toDatetime(clock()));
      const found = unwrap(await orNoRoute(update, actor));
      const { changelogHtml } = await import('../releases/changelog.ts');
      const path = `${app.prefix}/products/download/latest/${encodeURIComponent(named)}`;
      const address = withCredentials(request, request.publicOrigin() + path);
      return presentUpdate(found, named, address, changelogHtml(found.changelogs));
    },
  });

  // The framework's own HEAD route would send the size of an empty body.
  route(['GET', 'HEAD'], '/products/download/latest/:license_key', {
    endpoint: 'software.download',
    handler: ({ request, reply, params, actor }) =>
      sendDownload(request, reply, services, {
        find: async (_, named, actor, now) =>
          orNoRoute(await findLicenseDownload({ reads }, named, actor, now), actor),
        token: params.license_key,
        actor,
        meta: null,
      }),
  });

  route('POST', '/products/ping', {
    endpoint: 'licenses.validate',
    access: 'read',
    input: create({ licenseKey: licenseShape.licenseKey }),
    async handler({ request, reply, input, actor }) {
      request.refuseKeyGuesser(reply);
      unwrap(await findLicense(reads, input.licenseKey, actor));
      return null;
    },
  });
}
