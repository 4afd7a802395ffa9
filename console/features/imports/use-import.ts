import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Answer } from '../../client/api.ts';
import { streamLines } from '../../client/lines.ts';
import { upload } from '../../client/upload.ts';

export type Preview = Answer<'previewImport'>;
export interface Report {
  /** False where lines were rejected and nothing was imported for it. */
  done: boolean;
  read: number;
  imported: number;
  /** The first of them. */
  rejected: { line: number; reason: string }[];
  rejected_total: number;
}

/** What lines leave empty, by parameter; '' for what the server does by itself. */
export interface Defaults {
  status: string;
  activations_limit: number | string;
  valid_for: number | string;
  product_id: number | string;
}
export interface Choices {
  file: File | null;
  /** '' for what the first line has most of. */
  delimiter: string;
  /** The parameter of each column by its name, '' where it is passed over; null for what the server guesses. */
  mapping: Record<string, string> | null;
  defaults: Defaults;
}
export const FIRST_CHOICES: Choices = {
  file: null,
  delimiter: '',
  mapping: null,
  defaults: { status: 'active', activations_limit: 0, valid_for: 0, product_id: '' },
};

/** What is under way: how much of it is done, from 0 to 1, or null where nobody knows. */
export interface Work {
  kind: 'reading' | 'importing';
  part: number | null;
}

function formOf({ file, delimiter, mapping, defaults }: Choices): FormData {
  const form = new FormData();
  form.append('delimiter', delimiter);
  if (mapping) form.append('mapping', JSON.stringify(mapping));
  form.append('defaults', JSON.stringify(defaults));
  return appended(form, file);
}

/** With the file at its end, where the server wants it. */
function appended(form: FormData, file: File | null): FormData {
  if (file) form.append('file', file);
  return form;
}

/** Looks at a file, and imports it; what is under way ends where it is stopped or the page is left. */
export function useImport() {
  const client = useQueryClient();
  const running = useRef<AbortController | null>(null);
  const [work, setWork] = useState<Work | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);

  /** Null where it failed, which `error` tells, or was stopped. */
  async function run<T>(kind: Work['kind'], doing: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    running.current?.abort();
    const mine = new AbortController();
    running.current = mine;
    setError(null);
    setWork({ kind, part: 0 });
    try {
      return await doing(mine.signal);
    } catch (failed) {
      if (!mine.signal.aborted) setError(failed);
      return null;
    } finally {
      if (running.current === mine) setWork(null);
    }
  }

  const preview = (choices: Choices): Promise<Preview | null> =>
    run('reading', (signal) =>
      upload<Preview>(
        '/imports/preview',
        formOf(choices),
        (sent) => setWork({ kind: 'reading', part: sent < 1 ? sent : null }),
        signal,
      ),
    );

  /** @param lines of the file, as the preview has counted them */
  const start = (choices: Choices, skipBad: boolean, lines: number): Promise<Report | null> =>
    run('importing', async (signal) => {
      const form = formOf({ ...choices, file: null });
      form.append('skip_bad', skipBad ? '1' : '0');
      const report = await streamLines<Report>(
        '/imports',
        appended(form, choices.file),
        ({ done }) => setWork({ kind: 'importing', part: lines > 0 ? Math.min(1, done / lines) : null }),
        signal,
      );
      if (report.imported > 0) void client.invalidateQueries();
      return report;
    });

  return { preview, start, stop, work, error, clearError: () => setError(null) };
}
