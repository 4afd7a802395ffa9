import { useState } from 'react';
import { api, type Body } from '../../client/api.ts';
import { upload } from '../../client/upload.ts';
import { useWork } from '../../ui/actions/use-work.ts';
import { type Release, releasesChanged } from './queries.ts';

interface Sending {
  /** The release to update; null to create one. */
  release: Release | null;
  fields: Record<string, string | number>;
  file: File | null;
}

/** Uploads the file of a release. If the user stops it or leaves the page, the upload is discarded. */
export function useUpload(softwareId: number) {
  const { run, ...work } = useWork();
  const [sent, setSent] = useState(0);

  /** Resolves to the release or the error; to neither if the user stopped. */
  async function start({ release, fields, file }: Sending) {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
    // Put the file last, so that the server reports field errors before the file is uploaded.
    if (file) form.append('file', file);
    setSent(0);
    const path = `/software/${softwareId}/releases`;
    const result = await run(async (signal) => {
      // Check the fields first: browsers read no response before an upload ends.
      if (!release && file)
        await api.POST('/software/{software_id}/releases/check', {
          params: { path: { software_id: softwareId } },
          body: fields as Body<'checkRelease'>,
          signal,
        });
      const written = release
        ? await upload<Release>(`${path}/${release.id}`, form, setSent, signal, 'PATCH')
        : await upload<Release>(path, form, setSent, signal);
      await releasesChanged(softwareId);
      return written;
    });
    // The server may have finished just before the stop, so fetch the releases again.
    if (!result.done && !result.error) await releasesChanged(softwareId);
    return result;
  }
  return { ...work, start, sent };
}
