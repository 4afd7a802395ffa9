import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from 'react';
import { lazyPart } from '../loading/lazy-part.tsx';
import type { Question } from './ConfirmDialog.tsx';

type Confirm = (question: Question) => Promise<boolean>;

const ConfirmDialog = lazyPart(async () => (await import('./ConfirmDialog.tsx')).ConfirmDialog);

const ConfirmContext = createContext<Confirm | null>(null);

/** Asks before an action: `if (await confirm({ title, body, action, isDangerous: true }))`. */
export function useConfirm(): Confirm {
  const confirm = use(ConfirmContext);
  if (!confirm) throw new Error('useConfirm outside of a ConfirmProvider');
  // Load the dialog together with the component that may ask: the server may be unreachable later.
  useEffect(() => void ConfirmDialog.preload(), []);
  return confirm;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question | null>(null);
  const [isOpen, setOpen] = useState(false);
  const answer = useRef<(isConfirmed: boolean) => void>(() => {});
  const confirm = useCallback<Confirm>(async (newQuestion) => {
    if (!(await ConfirmDialog.ready())) return false;
    answer.current(false);
    setQuestion(newQuestion);
    setOpen(true);
    return new Promise((resolve) => {
      answer.current = resolve;
    });
  }, []);
  const close = (isConfirmed: boolean) => {
    setOpen(false);
    answer.current(isConfirmed);
  };
  return (
    <ConfirmContext value={confirm}>
      {children}
      {question && <ConfirmDialog question={question} isOpen={isOpen} onClose={close} />}
    </ConfirmContext>
  );
}
