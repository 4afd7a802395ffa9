import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { isSigningOut, sessionQuery } from '../session.ts';

const SignInAgain = lazy(async () => ({
  default: (await import('../../features/sign-in/SignInAgain.tsx')).SignInAgain,
}));

/** Whoever has been signed out elsewhere, or for being idle, signs in again over the page, which stays as it is. */
export function SessionEnded() {
  const { data } = useQuery(sessionQuery);
  if (data?.signed_in !== false || isSigningOut()) return null;
  return (
    <Suspense>
      <SignInAgain />
    </Suspense>
  );
}
