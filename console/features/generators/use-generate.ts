import { useEffect, useRef, useState } from 'react';
import { licensesChanged } from '../../app/query-client.ts';
import { streamLines } from '../../client/lines.ts';

export interface GenerateValues {
  amount: number | string;
  save: boolean;
  status: string;
  product_id: number | string;
  order_id: number | string;
  user_id: number | string;
  customer_email: string;
}
export interface Made {
  count: number;
  saved: boolean;
  keys: string[];
}

/** Generates keys. If the user stops it or leaves the page, no keys are created. */
export function useGenerate(generatorId: number) {
  const running = useRef<AbortController | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [part, setPart] = useState(0);
  const [made, setMade] = useState<Made | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stop = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);

  /** Resolves to the error; null if the keys were generated or the user stopped. */
  async function start({ save, amount, ...rest }: GenerateValues): Promise<unknown> {
    if (isRunning) return null;
    const work = new AbortController();
    running.current = work;
    setRunning(true);
    setPart(0);
    setError(null);
    try {
      const told = await streamLines<Made>(
        `/generators/${generatorId}/generate`,
        { amount, save, ...(save && rest) },
        ({ done, total }) => setPart(total ? done / total : 0),
        work.signal,
      );
      setMade(told);
      if (told.saved) void licensesChanged();
      return null;
    } catch (failed) {
      if (work.signal.aborted) return null;
      setError(failed);
      return failed;
    } finally {
      setRunning(false);
    }
  }
  return { start, stop, isRunning, part, made, error };
}
