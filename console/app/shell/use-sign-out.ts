import { useRouter } from '@tanstack/react-router';
import { errorToast } from '../../ui/feedback/toasts.tsx';
import { forgetSession, signOut } from '../session.ts';

/** Ends the session, forgets what was shown, and goes to the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    try {
      await signOut();
    } catch (error) {
      return errorToast(error);
    }
    // First the page, then what it shows: nothing on it must ask anew.
    await router.navigate({ to: '/sign-in' });
    forgetSession();
  };
}
