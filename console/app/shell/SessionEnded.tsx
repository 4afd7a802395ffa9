import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { isSigningOut, sessionQuery } from '../session.ts';

const SignInAgain = lazy(async () => ({
  default: (await import('../../features/sign-in/SignInAgain.tsx')).SignInAgain,
}));

/** Lets a user whose session has ended sign in again above the page, which stays as it is. */
export function SessionEnded() {
  const { data } = useQuery(sessionQuery);
  if (data?.signed_in !== false || isSigningOut()) return null;
  return (
    <Suspense>
      <SignInAgain />
    </Suspense>
  );
}
