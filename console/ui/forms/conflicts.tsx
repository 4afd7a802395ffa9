import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useRef, useState } from 'react';
import { isConflict } from '../../client/errors.ts';
import type { Kind } from '../change-words.ts';
import { type Choice, type Conflict, conflictsOf, type Values } from './conflicting.ts';

/** Loaded with the first conflict. */
const ConflictDialog = lazy(() => import('./ConflictDialog.tsx'));

type Ask = (conflict: Conflict) => Promise<Choice>;

const ConflictContext = createContext<Ask | null>(null);

interface Edited<Record_> {
  kind: Kind;
  /** The record when the form was opened; null in a form that creates one. */
  record: Record_ | null;
  /** Reads the record as it is now. */
  load: () => Promise<Record_>;
  /** Saves changes, if the record still has the version `etag`. */
  send: (changes: never, etag: string) => Promise<Record_>;
}

/** Give up after this many attempts: so many conflicts in a row have another cause. */
const TRIES = 5;

/**
 * Returns a function that saves changes by wire name. Other users' changes to other fields are kept. If another user has
 * changed the same fields, the function shows both values and asks which ones to keep. It resolves to the saved record, or
 * to null if the user went back to the form.
 */
export function useSaveMerged<Record_ extends { etag: string }>(edited: Edited<Record_>) {
  const ask = use(ConflictContext);
  // The query of the page may fetch a later version while the form is open.
  const [opened] = useState(edited.record);
  return async (changes: object): Promise<Record_ | null> => {
    const { kind, load, send } = edited;
    if (opened === null) throw new Error('there is no record to change');
    let known = opened;
    let mine: Values = { ...changes };
    for (let tries = 1; ; tries++) {
      try {
        return await send(mine as never, known.etag);
      } catch (error) {
        if (!isConflict(error) || tries === TRIES) throw error;
        const theirs = await load();
        const fields = conflictsOf(known, theirs, mine);
        const choice =
          fields.length > 0 ? await ask?.({ kind, fields, mine, theirs: { ...theirs } }) : 'mine';
        if (!choice) return null;
        if (choice === 'theirs')
          mine = Object.fromEntries(Object.entries(mine).filter(([name]) => !fields.includes(name)));
        if (Object.keys(mine).length === 0) return theirs;
        known = theirs;
      }
    }
  };
}

export function ConflictProvider({ children }: { children: ReactNode }) {
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [isOpen, setOpen] = useState(false);
  const answer = useRef<(choice: Choice) => void>(() => {});
  const ask = useCallback<Ask>((found) => {
    answer.current(null);
    setConflict(found);
    setOpen(true);
    return new Promise((resolve) => {
      answer.current = resolve;
    });
  }, []);
  const close = (choice: Choice) => {
    setOpen(false);
    answer.current(choice);
  };
  return (
    <ConflictContext value={ask}>
      {children}
      {conflict && (
        <Suspense>
          <ConflictDialog isOpen={isOpen} conflict={conflict} onChoose={close} />
        </Suspense>
      )}
    </ConflictContext>
  );
}
