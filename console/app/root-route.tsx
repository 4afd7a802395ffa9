import { createRootRoute, Outlet } from '@tanstack/react-router';
import { Announcements } from '../ui/announce.tsx';
import { ConfirmProvider } from '../ui/confirm.tsx';
import { Failure } from './Failure.tsx';
import { NotFound } from './NotFound.tsx';

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
