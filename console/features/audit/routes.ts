import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.tsx';
import { shellRoute } from '../../app/shell/shell-route.ts';
import { idOf, oneOf, textOf } from '../../ui/search.ts';
import type { AuditSearch } from './queries.ts';

const VIAS = ['api', 'cli', 'console', 'system'] as const;
const dayOf = (search: Record<string, unknown>, name: string) => {
  const text = textOf(search, name);
  return text && /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined;
};

const auditRoute = createRoute({
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

export const auditRoutes = [auditRoute] as const;
