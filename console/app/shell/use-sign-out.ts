import { useRouter } from '@tanstack/react-router';
import { errorToast } from '../../ui/feedback/toasts.tsx';
import { forgetSession, signOut } from '../session.ts';

/** Returns a function that ends the session, drops its data and opens the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    try {
      await signOut();
    } catch (error) {
      return errorToast(error);
    }
    // Leave the page before clearing its data: an open page would fetch the data again. An unsaved form cannot keep it open.
    await router.navigate({ to: '/sign-in', ignoreBlocker: true });
    forgetSession();
  };
}
