import { useEffect } from 'react';

/** How many focused elements are remembered: enough for a menu, its dialog and a question above it. */
const RECENT = 12;
/** Milliseconds to wait for Mantine, which returns the focus itself after a dialog. */
const PAUSE_MS = 60;
const FOCUSABLE = 'a[href], button, input, select, textarea, [tabindex]:not([tabindex="-1"])';

interface Focused {
  element: HTMLElement;
  row: Element | null;
}

/**
 * Keeps the keyboard focus on the page. Mantine returns the focus to the element that opened a dialog. This hook handles
 * the other cases: a dialog opened from a menu item, a button that was replaced, a row that was deleted.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let recent: Focused[] = [];
    let timer = 0;
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      const earlier = recent.filter(({ element }) => element !== target);
      recent = [{ element: target, row: target.closest('tr') }, ...earlier].slice(0, RECENT);
    };
    // A click on empty space removes the focus on purpose.
    const forget = ({ target }: PointerEvent) => {
      if (target instanceof Element && !target.closest(FOCUSABLE)) recent = [];
    };
    const restore = () => {
      timer = 0;
      if (isLost()) targetOf(recent)?.focus({ preventScroll: true });
    };
    const changes = new MutationObserver(() => {
      if (timer === 0 && recent.length > 0 && isLost()) timer = window.setTimeout(restore, PAUSE_MS);
    });
    changes.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled', 'style', 'hidden'],
    });
    document.addEventListener('focusin', remember);
    document.addEventListener('pointerdown', forget);
    return () => {
      window.clearTimeout(timer);
      changes.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('pointerdown', forget);
    };
  }, []);
}

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body;

const canFocus = (element: HTMLElement): boolean => element.isConnected && !element.matches(':disabled');

/** The element to focus now; null to wait, because a dialog is open or the element is disabled for the moment. */
function targetOf(recent: readonly Focused[]): HTMLElement | null {
  const dialogs = [...document.querySelectorAll('[role="dialog"][aria-modal="true"]')];
  const dialog = dialogs.filter((one) => one.checkVisibility()).at(-1);
  for (const { element, row } of recent) {
    const isVisible = element.checkVisibility({ visibilityProperty: true });
    const replacement = row?.isConnected && [...row.querySelectorAll<HTMLElement>(FOCUSABLE)].find(canFocus);
    const target = isVisible ? element : !element.isConnected && replacement;
    if (target) return canFocus(target) && (!dialog || dialog.contains(target)) ? target : null;
  }
  return dialog ? null : document.querySelector('main');
}
