import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

const PAUSE_MS = 250;

/**
 * Returns the text of a field and its setter. After a pause in typing, the text goes into the address.
 * @param value the text in the address
 */
export function useTyped(value: string, onPause: (text: string) => void): [string, (typed: string) => void] {
  const [text, setText] = useState(value);
  /** The value last sent to the address. */
  const sent = useRef(value);
  const send = useDebouncedCallback((typed: string) => {
    sent.current = typed.trim();
    onPause(sent.current);
  }, PAUSE_MS);
  useEffect(() => {
    // Ignore our own value coming back from the address while the user types on.
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
