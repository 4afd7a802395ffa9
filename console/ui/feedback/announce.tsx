import { VisuallyHidden } from '@mantine/core';
import { useSyncExternalStore } from 'react';

let announced = '';
const listeners = new Set<() => void>();

/** Announces a text to screen readers, politely. */
export function announce(text: string): void {
  // A live region stays silent if its text does not change.
  announced = text === announced ? `${text}\u00a0` : text;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The live region. Render it once. */
export function Announcements() {
  const text = useSyncExternalStore(subscribe, () => announced);
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {text}
    </VisuallyHidden>
  );
}
