import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../app/query-client.ts';
import { useUndo } from '../../app/use-undo.ts';
import { useUndoDelete } from '../../app/use-undo-delete.ts';
import { useConfirm } from '../../ui/feedback/confirm.tsx';
import { doneToast, errorToast } from '../../ui/feedback/toasts.tsx';
import type { Selection } from '../../ui/table/selection.ts';
import { type BulkChange, changeLicenses, deleteLicenses, type Ran, type Run } from './bulk.ts';
import { selectionScope } from './licenses-search.ts';

/** Returns functions that change or delete the selected licenses, with progress and a way to stop. */
export function useBulk({ ids, set }: Selection) {
  const { t } = useTranslation('licenses');
  const offerUndo = useUndo();
  const offerUndoDelete = useUndoDelete();
  const [done, setDone] = useState<number | null>(null);
  const [isStopping, setStopping] = useState(false);
  const stopping = useRef(new AbortController());
  const ended = useRef(Promise.withResolvers<void>());
  /** The number at the start: the selection may change meanwhile. */
  const [total, setTotal] = useState(0);
  const isWorking = done !== null;
  const confirm = useConfirm();
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      const isKept = selectionScope(current.search) === selectionScope(next.search);
      if (isKept && current.pathname === next.pathname) return false;
      const isSure = await confirm({
        title: t('bulk.leaveTitle'),
        body: t('bulk.leaveBody'),
        action: t('bulk.leaveAction'),
        isDangerous: true,
      });
      if (!isSure) return true;
      stop();
      // Only at its end are the processed licenses deselected.
      await ended.current.promise;
      return false;
    },
    enableBeforeUnload: isWorking,
    disabled: !isWorking,
  });

  /** Deselects the processed licenses, so that a retry continues with the rest. @param report reports the result */
  const runBulk = async <R extends Ran>(
    work: (run: Run) => Promise<R>,
    report: (result: R, more: string[]) => void,
  ) => {
    stopping.current = new AbortController();
    ended.current = Promise.withResolvers();
    const { signal } = stopping.current;
    setStopping(false);
    setTotal(ids.length);
    setDone(0);
    const result = await work({ signal, onDone: setDone });
    const left = ids.length - result.handled.length;
    const more: string[] = [];
    if (result.gone > 0) more.push(t('bulk.gone', { count: result.gone }));
    if (left > 0 && result.error === null) more.push(t('bulk.stopped', { count: left }));
    if (result.error !== null) errorToast(result.error);
    if (result.handled.length > 0) report(result, more);
    set(result.handled, false);
    setDone(null);
    ended.current.resolve();
    await licensesChanged();
  };

  const change = (what: BulkChange) =>
    runBulk(
      (run) => changeLicenses(ids, what, run),
      ({ previous, unchanged }, more) => {
        const [did, same] =
          'extend_days' in what
            ? (['bulk.extended', 'bulk.endless'] as const)
            : (['bulk.changed', 'bulk.unchanged'] as const);
        const rest = unchanged.length > 0 ? [t(same, { count: unchanged.length })] : [];
        const message = [t(did, { count: previous.length }), ...rest, ...more].join(' ');
        if (previous.length === 0) doneToast(message);
        else offerUndo(message, previous, UNDO_MS);
      },
    );
  const remove = () =>
    runBulk(
      (run) => deleteLicenses(ids, run),
      ({ deleted }, more) => {
        const message = [t('bulk.deleted', { count: deleted.length }), ...more].join(' ');
        if (deleted.length === 0) doneToast(message);
        else offerUndoDelete(message, deleted, UNDO_MS);
      },
    );
  const stop = () => {
    setStopping(true);
    stopping.current.abort();
  };
  return { done, total, isStopping, change, remove, stop };
}

/**
 * How many milliseconds to offer the undo. After a change of thousands of licenses, users need time to notice a mistake.
 */
const UNDO_MS = 120_000;
