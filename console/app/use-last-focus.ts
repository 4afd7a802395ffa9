import { useCallback, useEffect, useRef } from 'react';

/** Menus and dialogs between what began something and the question that it led to. */
const RECENT = 8;

/**
 * Gives the focus back to what had it last and still can have it: a menu or a dialog that led here may be gone by now, and
 * a button that waits for an answer takes none.
 * @param isOpen whether what had the focus meanwhile is of no interest
 */
export function useLastFocus(isOpen: boolean): () => void {
  const recent = useRef<HTMLElement[]>([]);
  useEffect(() => {
    if (isOpen) return;
    const note = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement) recent.current = [target, ...recent.current].slice(0, RECENT);
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, [isOpen]);
  return useCallback(() => {
    const canHaveIt = (one: HTMLElement) =>
      one.isConnected && !one.matches(':disabled') && one.checkVisibility();
    recent.current.find(canHaveIt)?.focus({ preventScroll: true });
  }, []);
}
