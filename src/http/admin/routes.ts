import type { FastifyInstance } from 'fastify';
import { CONSOLE_PATH } from '../console.ts';
import type { Services } from '../services.ts';
import { apiKeyRoutes } from './api-keys/api-keys.ts';
import { auditRoutes } from './audit/audit.ts';
import { importRoutes } from './batches/imports.ts';
import { licenseExportRoutes } from './batches/license-export.ts';
import { compressJson } from './compression.ts';
import { eventDeliveryRoutes } from './events/deliveries.ts';
import { eventEndpointRoutes } from './events/endpoints.ts';
import { generatorRoutes } from './generators/generators.ts';
import { activationRoutes } from './licenses/activations.ts';
import { licenseHistoryRoutes } from './licenses/license-history.ts';
import { licenseNoteRoutes } from './licenses/license-notes.ts';
import { licenseRoutes } from './licenses/licenses.ts';
import { offlineRoutes } from './licenses/offline.ts';
import { trashRoutes } from './licenses/trash.ts';
import { accountRoutes } from './people/account.ts';
import { sessionRoutes } from './people/session.ts';
import { ownSessionRoutes } from './people/sessions.ts';
import { setupRoutes } from './people/setup.ts';
import { createSignInLimit } from './people/sign-in-limit.ts';
import { userRoutes } from './people/users.ts';
import { releaseRoutes } from './releases/releases.ts';
import { softwareRoutes } from './releases/software.ts';
import { dashboardRoutes } from './reports/dashboard.ts';
import { settingRoutes } from './reports/settings.ts';

export const ADMIN_ROOT = `${CONSOLE_PATH}/api`;

/** The API of the console. It changes from version to version with the console, so programs use the v1 API. */
export async function adminRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const limit = createSignInLimit(services);
  await app.register(
    async (api) => {
      api.addHook('onSend', compressJson);
      sessionRoutes(api, services, limit);
      ownSessionRoutes(api, services);
      setupRoutes(api, services, limit);
      accountRoutes(api, services, limit);
      userRoutes(api, services);
      generatorRoutes(api, services);
      softwareRoutes(api, services);
      releaseRoutes(api, services);
      importRoutes(api, services);
      licenseRoutes(api, services);
      licenseNoteRoutes(api, services);
      trashRoutes(api, services);
      licenseHistoryRoutes(api, services);
      licenseExportRoutes(api, services);
      activationRoutes(api, services);
      offlineRoutes(api, services);
      dashboardRoutes(api, services);
      apiKeyRoutes(api, services);
      eventEndpointRoutes(api, services);
      eventDeliveryRoutes(api, services);
      auditRoutes(api, services);
      settingRoutes(api, services);
    },
    { prefix: ADMIN_ROOT },
  );
}
