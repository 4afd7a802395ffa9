import { createRootRoute, Outlet } from '@tanstack/react-router';
import { Announcements } from '../ui/feedback/announce.tsx';
import { ConfirmProvider } from '../ui/feedback/confirm.tsx';
import { Failure } from './shell/Failure.tsx';
import { NotFound } from './shell/NotFound.tsx';

/** The parent of every page, signed in or not. */
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
