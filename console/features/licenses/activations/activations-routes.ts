import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../../app/lazy-page.tsx';
import { shellRoute } from '../../../app/shell/shell-route.ts';
import { idOf, oneOf, textOf } from '../../../ui/search.ts';

/** The query of the list's address. */
export interface ActivationsSearch {
  label?: string;
  address?: string;
  license?: number;
  state?: 'valid' | 'deactivated';
  before?: number;
}

const activationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/activations',
  validateSearch: (search): ActivationsSearch => ({
    label: textOf(search, 'label'),
    address: textOf(search, 'address'),
    license: idOf(search, 'license'),
    state: oneOf(search, 'state', ['valid', 'deactivated']),
    before: idOf(search, 'before'),
  }),
  component: lazyPage(() => import('./ActivationsPage.tsx'), 'ActivationsPage'),
});

export const activationsRoutes = [activationsRoute] as const;
