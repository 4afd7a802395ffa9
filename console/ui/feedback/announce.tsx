import { VisuallyHidden } from '@mantine/core';
import { useSyncExternalStore } from 'react';

let said = '';
const listeners = new Set<() => void>();

/** Has a screen reader say it, when it has said what it is saying. */
export function announce(text: string): void {
  // A live region says nothing where its text stays the same.
  said = text === said ? `${text}\u00a0` : text;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Where it is said; once in the page. */
export function Announcements() {
  const text = useSyncExternalStore(subscribe, () => said);
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {text}
    </VisuallyHidden>
  );
}
