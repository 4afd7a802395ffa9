import { useState } from 'react';
import { queryClient } from '../../app/query-client.ts';
import type { Answer, Item } from '../../client/api.ts';
import { streamLines } from '../../client/lines.ts';
import { upload } from '../../client/upload.ts';
import { useWork } from '../../ui/actions/use-work.ts';
import { TERM_NAMES } from '../../ui/licenses/license-terms.ts';
import { beginningOf } from './csv-file.ts';
import { collectRejected, type Rejected, type RejectedPart } from './rejected.ts';

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
  'customer_email',
  ...TERM_NAMES,
  'note',
  'tags',
  'meta',
] as const;
export type Parameter = (typeof PARAMETERS)[number];

interface PreviewedLicense extends Pick<Item<'listLicenses'>, Exclude<Parameter, 'note' | 'tags' | 'meta'>> {
  note: string | null;
  tags: string[];
  meta: Record<string, unknown>;
}
export interface Preview {
  lines: number;
  good: number;
  /** The first lines; `license` is null for a rejected line. */
  rows: { line: number; license: PreviewedLicense | null }[];
  rejected: Rejected;
}
export interface Report {
  /** False if nothing was imported because lines were rejected. */
  done: boolean;
  read: number;
  imported: number;
  rejected: Rejected;
}

export const FIRST_CHOICES = {
  file: null as File | null,
  /** '' to detect it: the most frequent separator in the first line. */
  delimiter: '',
  /** The field of each column, by column name; '' ignores the column. Null lets the server guess. */
  mapping: null as Record<string, string> | null,
  /** The values for empty cells, by field; '' for the server's default. */
  defaults: {
    status: 'active',
    activations_limit: 0 as number | string,
    valid_for: 0 as number | string,
    product_id: '' as number | string,
  },
};
export type Choices = typeof FIRST_CHOICES;

/** The current work. `part` is its progress from 0 to 1; null if unknown. */
export interface Work {
  kind: 'reading' | 'checking' | 'importing';
  part: number | null;
}

/** The fields and the file of a request. The server requires the file as the last part. */
function formOf({ delimiter, mapping, defaults }: Choices, file: Blob, more: Record<string, string> = {}) {
  const form = new FormData();
  form.append('delimiter', delimiter);
  if (mapping) form.append('mapping', JSON.stringify(mapping));
  form.append('defaults', JSON.stringify(defaults));
  for (const [name, value] of Object.entries(more)) form.append(name, value);
  form.append('file', file);
  return form;
}

/** Previews and imports a file. Stopping, or leaving the page, ends the work. */
export function useImport() {
  const { run, isRunning, ...state } = useWork();
  const [work, setWork] = useState<Work>({ kind: 'reading', part: null });

  /**
   * Uploads a file and reads the answer. Resolves to undefined if that failed (see `error`) or was stopped.
   * @param total the number of lines that the server will process
   */
  async function runLines<T extends object>(
    kind: Work['kind'],
    path: string,
    form: FormData,
    total: number,
  ): Promise<(T & { rejected: Rejected }) | undefined> {
    const rejected = collectRejected();
    let [sent, done] = [0, 0];
    // The upload is the first half of the progress, the server's work the second.
    const show = () => setWork({ kind, part: (sent + done) / 2 });
    const listeners = {
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
    show();
    const { done: result } = await run((signal) =>
      streamLines<T, RejectedPart>(path, form, listeners, signal),
    );
    return result && { ...result, rejected: rejected.all() };
  }

  /** Reads the column names from the start of the file. */
  async function readColumns(choices: Choices, file: File): Promise<FileColumns | undefined> {
    setWork({ kind: 'reading', part: null });
    const { done } = await run(async (signal) => {
      const form = formOf(choices, await beginningOf(file));
      return upload<FileColumns>('/imports/columns', form, () => {}, signal);
    });
    return done;
  }

  const check = (choices: Choices, file: File): Promise<Preview | undefined> =>
    runLines<Omit<Preview, 'rejected'>>('checking', '/imports/preview', formOf(choices, file), file.size);

  /** @param lines the number of lines from the preview */
  async function start(
    choices: Choices,
    file: File,
    skipBad: boolean,
    lines: number,
  ): Promise<Report | undefined> {
    const form = formOf(choices, file, { skip_bad: skipBad ? '1' : '0' });
    const report = await runLines<Omit<Report, 'rejected'>>('importing', '/imports', form, lines);
    if (report && report.imported > 0) void queryClient.invalidateQueries();
    return report;
  }

  return { ...state, readColumns, check, start, work: isRunning ? work : null };
}
