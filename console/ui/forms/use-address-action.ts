import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/**
 * Starts the action in the address of a page (`?create=yes`), if it is allowed, and removes it from the address.
 */
export function useAddressAction(search: object, name: string, isAllowed: boolean, start: () => void): void {
  const navigate = useNavigate();
  const isRequested = (search as Record<string, unknown>)[name] === 'yes';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the action is the same at each render
  useEffect(() => {
    if (!isRequested) return;
    if (isAllowed) start();
    const without = (search: object) => ({ ...search, [name]: undefined });
    void navigate({ to: '.', search: without as never, replace: true });
  }, [isRequested]);
}
