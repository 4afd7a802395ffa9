import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Answer } from '../../client/api.ts';
import { upload, uploadToLines } from '../../client/upload.ts';
import { beginningOf } from './csv-file.ts';
import { gatherRejected, type Rejected, type RejectedPart } from './rejected.ts';

export type FileColumns = Answer<'listImportColumns'>;
export const PARAMETERS = [
  'license_key',
  'status',
  'expires_at',
  'valid_for',
  'activations_limit',
  'product_id',
  'order_id',
  'user_id',
] as const;
export type Parameter = (typeof PARAMETERS)[number];

interface PreviewedLicense {
  license_key: string;
  /** 1 for sold, and on. */
  status: number;
  expires_at: string | null;
  valid_for: number;
  activations_limit: number;
  order_id: number | null;
  product_id: number | null;
  user_id: number | null;
}
export interface Preview {
  lines: number;
  good: number;
  /** The first lines; license is null where the line is rejected. */
  rows: { line: number; license: PreviewedLicense | null }[];
  rejected: Rejected;
}
export interface Report {
  /** False where lines were rejected and nothing was imported for it. */
  done: boolean;
  read: number;
  imported: number;
  rejected: Rejected;
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
  kind: 'reading' | 'checking' | 'importing';
  part: number | null;
}

/** With the file at its end, where the server wants it. */
function formOf({ delimiter, mapping, defaults }: Choices, file: Blob, more: Record<string, string> = {}) {
  const form = new FormData();
  form.append('delimiter', delimiter);
  if (mapping) form.append('mapping', JSON.stringify(mapping));
  form.append('defaults', JSON.stringify(defaults));
  for (const [name, value] of Object.entries(more)) form.append(name, value);
  form.append('file', file);
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
    setWork({ kind, part: kind === 'reading' ? null : 0 });
    try {
      return await doing(mine.signal);
    } catch (failed) {
      if (!mine.signal.aborted) setError(failed);
      return null;
    } finally {
      if (running.current === mine) setWork(null);
    }
  }

  /** @param total of what the server counts */
  const runLines = <T extends object>(
    kind: Work['kind'],
    path: string,
    formMade: FormData,
    total: number,
  ): Promise<(T & { rejected: Rejected }) | null> =>
    run(kind, async (signal) => {
      const rejected = gatherRejected();
      let [sent, done] = [0, 0];
      // It is sent ahead of what is read of it: each is half of the way.
      const show = () => setWork({ kind, part: (sent + done) / 2 });
      const told = {
        onSent: (part: number) => {
          sent = part;
          show();
        },
        onProgress: (count: number) => {
          done = total > 0 ? Math.min(1, count / total) : 0;
          show();
        },
        onPart: rejected.add,
      };
      const result = await uploadToLines<T, RejectedPart>(path, formMade, told, signal);
      return { ...result, rejected: rejected.all() };
    });

  /** Reads the names of the columns, for which the beginning of the file is enough. */
  const look = (choices: Choices, file: File): Promise<FileColumns | null> =>
    run('reading', async (signal) => {
      const form = formOf(choices, await beginningOf(file));
      return upload<FileColumns>('/imports/columns', form, () => {}, signal);
    });

  const check = (choices: Choices, file: File): Promise<Preview | null> =>
    runLines<Omit<Preview, 'rejected'>>('checking', '/imports/preview', formOf(choices, file), file.size);

  /** @param lines of the file, as the preview has counted them */
  async function start(
    choices: Choices,
    file: File,
    skipBad: boolean,
    lines: number,
  ): Promise<Report | null> {
    const form = formOf(choices, file, { skip_bad: skipBad ? '1' : '0' });
    const report = await runLines<Omit<Report, 'rejected'>>('importing', '/imports', form, lines);
    if (report && report.imported > 0) void client.invalidateQueries();
    return report;
  }

  return { look, check, start, stop, work, error, clearError: () => setError(null) };
}
