import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sessionQuery } from './session.ts';

/** Whoever has been signed out, here or elsewhere, is sent to sign in, and comes back to where they were. */
export function useSignedOut(): void {
  const router = useRouter();
  const { data } = useQuery(sessionQuery);
  const isSignedOut = data?.signed_in === false;
  useEffect(() => {
    // The routes behind the sign-in look again, and find out where to go.
    if (isSignedOut) void router.invalidate();
  }, [isSignedOut, router]);
}
