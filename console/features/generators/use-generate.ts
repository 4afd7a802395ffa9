import { useState } from 'react';
import { licensesChanged } from '../../app/query-client.ts';
import { streamLines } from '../../client/lines.ts';
import { useWork } from '../../ui/actions/use-work.ts';

/** The values of the form at first. */
export const START = {
  amount: 10 as number | string,
  save: true,
  status: 'active',
  product_id: '' as number | string,
  order_id: '' as number | string,
  user_id: '' as number | string,
  customer_email: '',
};
export interface Made {
  count: number;
  saved: boolean;
  keys: string[];
}

/** Generates keys. If the user stops it or leaves the page, no keys are created. */
export function useGenerate(generatorId: number) {
  const { run, ...work } = useWork();
  const [part, setPart] = useState(0);
  const [made, setMade] = useState<Made | null>(null);

  /** Resolves to the error, if there is one. */
  async function start({ save, amount, ...rest }: typeof START): Promise<unknown> {
    setPart(0);
    const { done, error } = await run((signal) =>
      streamLines<Made>(
        `/generators/${generatorId}/generate`,
        { amount, save, ...(save && rest) },
        { onProgress: (done, total) => setPart(total ? done / total : 0) },
        signal,
      ),
    );
    if (done) setMade(done);
    if (done?.saved) void licensesChanged();
    return error;
  }
  return { ...work, start, part, made };
}
