import { type FunctionComponent, Suspense, use, useEffect } from 'react';
import { NetworkError } from '../../client/errors.ts';
import { errorToast } from '../feedback/toasts.tsx';
import { loadLaterTexts } from '../language.ts';
import { reloadOnce } from './reload.ts';

export interface Loader<Part> {
  part: Part | undefined;
  error: NetworkError | undefined;
  /** Resolves to whether the part is there. */
  preload: () => Promise<boolean>;
}

/** Loads a part once, and again after a failure. */
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
  // Styles of the code come after those of Mantine, to override them.
  const styles = import('./later-styles.ts');
  const [code] = await Promise.all([load(), loadLaterTexts(), styles]);
  return code;
}

interface Lazy {
  preload: () => Promise<boolean>;
  /** As `preload`, and shows an error toast if the part could not be loaded. */
  ready: () => Promise<boolean>;
}

/**
 * A part of a page whose code is loaded when it is needed: a dialog, the actions of a selection. An error toast says if it
 * cannot be loaded, and `onFail` is called.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props & { onFail?: () => void }> & Lazy {
  const loading = loader(() => withShared(load));
  const tell = () => {
    errorToast(loading.error);
    // The server was upgraded, or it is back and the browser has cached the failure.
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
      // The next time it is tried again.
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
