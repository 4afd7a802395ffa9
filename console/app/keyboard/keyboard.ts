import { useLocalStorage } from '@mantine/hooks';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { SignedIn } from '../session.ts';
import { navEntries } from '../shell/nav-entries.ts';
import { openKeyboardHelp } from './keyboard-help-store.ts';

/** The name of the shortcut modifier on this machine. */
export const modKey = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';

/** Milliseconds after `g` within which the second key opens a page. */
const GO_MS = 1500;

/**
 * Whether single-key shortcuts are on. Voice control may type keys by accident, so users can turn them off (WCAG 2.1.4).
 */
export const useSingleKeys = () =>
  useLocalStorage({ key: 'latchkey-single-keys', defaultValue: true, getInitialValueInEffect: false });

/** `/` focuses the search of the page, `?` opens the help, `g` and a letter go to a page. */
export function useKeyboard(permissions: SignedIn['permissions']): void {
  const router = useRouter();
  const [isOn] = useSingleKeys();
  useEffect(() => {
    if (!isOn) return;
    let goUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTakenBy(event.target)) return;
      const isGo = event.timeStamp < goUntil;
      goUntil = 0;
      if (isGo) {
        const entry = navEntries.find(
          ({ key, permission }) => key === event.key && permissions.includes(permission),
        );
        if (!entry) return;
        event.preventDefault();
        return void router.navigate({ to: entry.to });
      }
      if (event.key === 'g') goUntil = event.timeStamp + GO_MS;
      if (event.key === '?') openKeyboardHelp();
      if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('[data-page-search]');
        if (!search) return;
        event.preventDefault();
        search.focus();
        search.select();
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isOn, permissions, router]);
}

/** Whether the element handles keys itself: a text field, a dialog or a menu. */
const isTakenBy = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    'input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu]',
  ) !== null;
