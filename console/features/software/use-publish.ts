import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { upload } from '../../client/upload.ts';
import type { Channel, Release } from './queries.ts';

export interface PublishValues {
  file: File | null;
  version: string;
  channel: Channel;
  rollout: number;
  changelog: string;
  upgrade_notice: string;
  isDraft: boolean;
}

/** Uploads a release; stopping it, or leaving the page, leaves nothing of it. */
export function usePublish(softwareId: number) {
  const client = useQueryClient();
  const running = useRef<AbortController | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [sent, setSent] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);

  /** The release, or what failed; neither where it was stopped. */
  async function start(values: PublishValues): Promise<{ release?: Release; error?: unknown }> {
    const { file, isDraft, ...fields } = values;
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
    form.append('status', isDraft ? 'draft' : 'published');
    // Last, so that nobody waits for a large file to be told what is wrong with a field.
    if (file) form.append('file', file);
    const work = new AbortController();
    running.current = work;
    setRunning(true);
    setSent(0);
    setError(null);
    try {
      const path = `/software/${softwareId}/releases`;
      const release = await upload<Release>(path, form, setSent, work.signal);
      await client.invalidateQueries({ queryKey: ['software', softwareId] });
      return { release };
    } catch (failed) {
      if (work.signal.aborted) return {};
      setError(failed);
      return { error: failed };
    } finally {
      setRunning(false);
    }
  }
  return { start, stop, isRunning, sent, error };
}
