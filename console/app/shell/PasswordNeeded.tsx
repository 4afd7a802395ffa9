import { useEffect, useRef, useState } from 'react';
import { whenPasswordNeeded } from '../../client/api.ts';
import { lazyPart } from '../../ui/loading/lazy-part.tsx';

const PasswordDialog = lazyPart(async () => (await import('./PasswordDialog.tsx')).PasswordDialog);

/** Asks for the password when the server requires it for an action of any page. */
export function PasswordNeeded() {
  /** `undefined` until the dialog was first opened. */
  const [isOpen, setOpen] = useState<boolean>();
  const waiting = useRef<((isGiven: boolean) => void)[]>([]);
  const answerAll = (isGiven: boolean) => {
    for (const resolve of waiting.current.splice(0)) resolve(isGiven);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it uses only refs
  useEffect(() => {
    whenPasswordNeeded(async () => {
      if (!(await PasswordDialog.ready())) return false;
      setOpen(true);
      return new Promise((resolve) => waiting.current.push(resolve));
    });
    return () => {
      whenPasswordNeeded(async () => false);
      answerAll(false);
    };
  }, []);
  const close = (isGiven: boolean) => {
    setOpen(false);
    answerAll(isGiven);
  };
  return isOpen !== undefined && <PasswordDialog isOpen={isOpen} onClose={close} />;
}
