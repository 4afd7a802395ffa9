import { type FunctionComponent, Suspense, use, useEffect } from 'react';
import { NetworkError } from '../../client/errors.ts';
import { errorToast } from '../feedback/toasts.tsx';
import { loadLaterTexts } from '../language.ts';
import { reloadOnce } from './reload.ts';

export interface Loader<Part> {
  part: Part | undefined;
  error: NetworkError | undefined;
  /** Loads the part. Resolves to false if loading failed. */
  preload: () => Promise<boolean>;
}

/** Returns a loader that loads a part once. After a failure, the next call of `preload` tries again. */
export function loader<Part>(load: () => Promise<Part>): Loader<Part> {
  let loading: Promise<boolean> | undefined;
  const self: Loader<Part> = {
    part: undefined,
    error: undefined,
    preload() {
      loading ??= load().then(
        (part) => {
          self.part = part;
          self.error = undefined;
          return true;
        },
        (cause) => {
          self.error = new NetworkError(cause);
          loading = undefined;
          return false;
        },
      );
      return loading;
    },
  };
  return self;
}

/** Loads code with the texts and styles that all but the first pages share. */
export async function withShared<Code>(load: () => Promise<Code>): Promise<Code> {
  // Mantine's styles come first, so that the styles of the code override them.
  const styles = import('./later-styles.ts');
  const [code] = await Promise.all([load(), loadLaterTexts(), styles]);
  return code;
}

interface Lazy {
  preload: () => Promise<boolean>;
  /** Loads the part like `preload`, and shows an error toast if that fails. */
  ready: () => Promise<boolean>;
}

/**
 * Returns a part of a page, such as a dialog, whose code is loaded at the latest when it is first rendered. If the code
 * cannot be loaded, the part shows an error toast and calls `onFail`.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props & { onFail?: () => void }> & Lazy {
  const loading = loader(() => withShared(load));
  const tell = () => {
    errorToast(loading.error);
    // Either the server was upgraded, or it is reachable again and the browser has cached the failed import.
    void reloadOnce();
  };
  function Loaded({ onFail, ...props }: Props & { onFail?: () => void }) {
    if (!loading.part && !loading.error) use(loading.preload());
    const Part = loading.part;
    return Part ? <Part {...(props as Props)} /> : <Failed onFail={onFail} />;
  }
  function Failed({ onFail }: { onFail: (() => void) | undefined }) {
    // biome-ignore lint/correctness/useExhaustiveDependencies: once for each failure
    useEffect(() => {
      tell();
      onFail?.();
      // Clear the error, so that the next render tries again.
      return () => {
        loading.error = undefined;
      };
    }, []);
    return null;
  }
  const LazyPart = (props: Props & { onFail?: () => void }) => (
    <Suspense>
      <Loaded {...props} />
    </Suspense>
  );
  const ready = async () => {
    const isThere = await loading.preload();
    if (!isThere) tell();
    return isThere;
  };
  return Object.assign(LazyPart, { preload: loading.preload, ready });
}
