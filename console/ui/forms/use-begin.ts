import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/**
 * Begins what the address of a page asks for (`?create=yes`), once: it is taken out of the address. A page that may not
 * does nothing.
 */
export function useBegin(search: object, name: string, isAllowed: boolean, begin: () => void): void {
  const navigate = useNavigate();
  const isAsked = (search as Record<string, unknown>)[name] === 'yes';
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is begun is the same at each render
  useEffect(() => {
    if (!isAsked) return;
    if (isAllowed) begin();
    const without = (search: object) => ({ ...search, [name]: undefined });
    void navigate({ to: '.', search: without as never, replace: true });
  }, [isAsked]);
}
