import { useRouter } from '@tanstack/react-router';
import { errorToast } from '../../ui/feedback/toasts.tsx';
import { forgetSession, signOut } from '../session.ts';

/** Ends the session, drops its data and goes to the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    try {
      await signOut();
    } catch (error) {
      return errorToast(error);
    }
    // Leave the page before clearing its data, so that it does not refetch.
    await router.navigate({ to: '/sign-in' });
    forgetSession();
  };
}
