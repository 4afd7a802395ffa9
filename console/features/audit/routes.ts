import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { dayOf, idOf, oneOf, textOf } from '../../ui/search.ts';
import type { AuditSearch } from './queries.ts';

const VIAS = ['api', 'cli', 'console', 'system'] as const;

export const auditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/audit',
  validateSearch: (search): AuditSearch => ({
    action: textOf(search, 'action'),
    via: oneOf(search, 'via', VIAS),
    subject: textOf(search, 'subject'),
    user_id: idOf(search, 'user_id'),
    api_key_id: idOf(search, 'api_key_id'),
    from: dayOf(search, 'from'),
    to: dayOf(search, 'to'),
    before: idOf(search, 'before'),
  }),
  component: lazyPage(() => import('./AuditPage.tsx'), 'AuditPage'),
});
