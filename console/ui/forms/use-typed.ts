import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/** Milliseconds without a key until what is typed counts. */
const PAUSE_MS = 250;

/**
 * What is typed into a field, and what types it: it goes into the address when nothing more is typed for a moment.
 * @param value as the address has it
 */
export function useTyped(value: string, onPause: (text: string) => void): [string, (typed: string) => void] {
  const [text, setText] = useState(value);
  /** What went into the address last. */
  const sent = useRef(value);
  const send = useDebouncedCallback((typed: string) => {
    sent.current = typed.trim();
    onPause(sent.current);
  }, PAUSE_MS);
  useEffect(() => {
    // What went there from here may come back while more is being typed.
    if (value === sent.current) return;
    sent.current = value;
    send.cancel();
    setText(value);
  }, [value, send]);
  const type = (typed: string) => {
    setText(typed);
    send(typed);
  };
  return [text, type];
}
