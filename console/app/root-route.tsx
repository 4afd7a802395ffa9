import { createRootRoute, Outlet } from '@tanstack/react-router';
import { Announcements } from '../ui/feedback/announce.tsx';
import { ConfirmProvider } from '../ui/feedback/confirm.tsx';
import { Failure } from './shell/Failure.tsx';
import { NotFound } from './shell/NotFound.tsx';

/** What is around every page, whoever is signed in. */
export const rootRoute = createRootRoute({
  component: () => (
    <ConfirmProvider>
      <Outlet />
      <Announcements />
    </ConfirmProvider>
  ),
  notFoundComponent: NotFound,
  errorComponent: Failure,
});
