import { useEffect } from 'react';

/** Dialogs and menus between what began something and its end. */
const RECENT = 12;
/** Milliseconds in which whatever took the focus away may put it elsewhere itself. */
const PAUSE_MS = 60;
const FOCUSABLE = 'a[href], button, input, select, textarea, [tabindex]:not([tabindex="-1"])';

interface Had {
  element: HTMLElement;
  /** What it is in, from the inside out, as far as the page's own parts go. */
  around: HTMLElement[];
}

/**
 * Whoever goes by the keyboard never loses the place: where what has the focus goes away (a dialog closes, a button is
 * replaced, a row is deleted), the focus goes to what had it before the dialog, or to what is nearest.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let recent: Had[] = [];
    let isPointing = false;
    let timer = 0;
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      const others = recent.filter(({ element }) => element !== target);
      recent = [{ element: target, around: aroundOf(target) }, ...others].slice(0, RECENT);
    };
    const onBlur = ({ target, relatedTarget }: FocusEvent) => {
      // Whoever clicks on nothing wants the focus nowhere.
      if (isPointing && relatedTarget === null && target instanceof HTMLElement && canHaveIt(target))
        recent = [];
    };
    const point = () => {
      isPointing = true;
    };
    const lift = () => {
      isPointing = false;
    };
    const giveBack = () => {
      timer = 0;
      if (isLost()) placeFor(recent)?.focus({ preventScroll: true });
    };
    const look = () => {
      if (timer === 0 && recent.length > 0 && isLost()) timer = window.setTimeout(giveBack, PAUSE_MS);
    };
    const changes = new MutationObserver(look);
    changes.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled', 'style', 'hidden'],
    });
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener('focusin', onFocus, { signal });
    document.addEventListener('focusout', onBlur, { signal });
    document.addEventListener('pointerdown', point, { capture: true, signal });
    for (const type of ['click', 'pointercancel', 'keydown'])
      document.addEventListener(type, lift, { capture: true, signal });
    return () => {
      window.clearTimeout(timer);
      changes.disconnect();
      listening.abort();
    };
  }, []);
}

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body;

const canHaveIt = (one: HTMLElement): boolean =>
  one.isConnected && !one.matches(':disabled') && one.checkVisibility({ visibilityProperty: true });

/** What an element is in, up to the page, its dialog, or what floats above. */
function aroundOf(element: HTMLElement): HTMLElement[] {
  const around: HTMLElement[] = [];
  for (
    let up = element.parentElement;
    up && up !== document.body && up.id !== 'root';
    up = up.parentElement
  ) {
    if (up.matches('[data-portal]')) break;
    around.push(up);
  }
  return around;
}

/** Who shall have the focus now; null while that is not sure. */
function placeFor(recent: readonly Had[]): HTMLElement | null {
  const dialogs = [...document.querySelectorAll<HTMLElement>('[role="dialog"][aria-modal="true"]')];
  const dialog = dialogs.filter((one) => one.checkVisibility()).at(-1);
  for (const { element, around } of recent) {
    const place = element.isConnected ? element : nearest(around);
    if (!place) continue;
    // What floats and is closing is no place, nor is what a dialog covers.
    if (dialog && !dialog.contains(place)) return null;
    if (canHaveIt(place)) return place;
    // It waits for an answer, and can have it again then.
    if (place.matches(':disabled') && place.checkVisibility()) return null;
  }
  return dialog ? null : document.querySelector<HTMLElement>('main');
}

/** The first that takes the focus in the innermost of what is still there. */
function nearest(around: readonly HTMLElement[]): HTMLElement | null {
  for (const part of around) {
    if (!part.isConnected) continue;
    if (part.tagName === 'MAIN') return part;
    const found = [...part.querySelectorAll<HTMLElement>(FOCUSABLE)].find(canHaveIt);
    if (found) return found;
  }
  return null;
}
