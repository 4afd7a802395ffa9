import { each, type Requests } from './wire.ts';

/** Pages and documents outside the APIs. */
export const documentRequests: Requests = async ({ group, call }) => {
  group('documents');
  await each(call, [
    'GET /healthz',
    'HEAD /healthz',
    'GET /readyz',
    'POST /healthz',
    'GET /console',
    'GET /console?a=b',
    'HEAD /console',
  ]);
  await call('GET /docs/json', { omitted: { hash: true } });
  const omitted = { body: true };
  const accept = { accept: 'text/html' };
  await call('GET /docs', { omitted });
  await call('GET /docs/', { omitted });
  await call('GET /docs/page.css', { omitted });
  await call('GET /docs/nothing', { omitted });
  await call('GET /console/', { omitted, headers: accept });
  await call('HEAD /console/', { omitted, headers: accept });
  await call('GET /console/licenses/7', { omitted, headers: accept });
  await call('GET /console/', { headers: { accept: 'application/json' } });
  await call('GET /console/assets/nothing.js');
  await call('GET /console/index.html', { omitted });
  await call('GET /console/api', { omitted });
  await call('GET /console/api/nothing');
  await call('POST /console/');
  group('openapi');
  await call('GET /wp-json/dlm/v1/openapi.json');
};
