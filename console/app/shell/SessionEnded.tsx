import { useQuery } from '@tanstack/react-query';
import { lazyPart } from '../../ui/loading/lazy-part.tsx';
import { isSigningOut, sessionQuery } from '../session.ts';

const SignInAgain = lazyPart(
  async () => (await import('../../features/sign-in/SignInAgain.tsx')).SignInAgain,
);

/** Shows a sign-in dialog above the page if the session has ended. The page stays as it is. */
export function SessionEnded() {
  const { data } = useQuery(sessionQuery);
  return data?.signed_in === false && !isSigningOut() && <SignInAgain />;
}
