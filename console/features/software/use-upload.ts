import { useEffect, useRef, useState } from 'react';
import { api, type Body } from '../../client/api.ts';
import { upload } from '../../client/upload.ts';
import { type Release, releasesChanged } from './queries.ts';

interface Sending {
  /** The release to update; null to create one. */
  release: Release | null;
  fields: Record<string, string | number>;
  file: File | null;
}

/** Uploads the file of a release. If the user stops it or leaves the page, the upload is discarded. */
export function useUpload(softwareId: number) {
  const running = useRef<AbortController | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [sent, setSent] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);

  /** Resolves to the release or the error; to neither if the user stopped. */
  async function start({ release, fields, file }: Sending): Promise<{ release?: Release; error?: unknown }> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
    // Put the file last, so that the server reports field errors before the file is uploaded.
    if (file) form.append('file', file);
    const work = new AbortController();
    running.current = work;
    setRunning(true);
    setSent(0);
    setError(null);
    try {
      const path = `/software/${softwareId}/releases`;
      // Check the fields first: browsers read no response before an upload ends.
      if (!release && file)
        await api.POST('/software/{software_id}/releases/check', {
          params: { path: { software_id: softwareId } },
          body: fields as Body<'checkRelease'>,
          signal: work.signal,
        });
      const written = release
        ? await upload<Release>(`${path}/${release.id}`, form, setSent, work.signal, 'PATCH')
        : await upload<Release>(path, form, setSent, work.signal);
      await releasesChanged(softwareId);
      return { release: written };
    } catch (failed) {
      // The server may have finished just before the stop, so fetch the releases again.
      if (work.signal.aborted) {
        await releasesChanged(softwareId);
        return {};
      }
      setError(failed);
      return { error: failed };
    } finally {
      setRunning(false);
    }
  }
  return { start, stop, isRunning, sent, error };
}
