import { type FunctionComponent, use } from 'react';
import { NetworkError } from '../client/errors.ts';
import { Failure } from './shell/Failure.tsx';

/**
 * A page whose code is loaded on navigation or preload. A failure is shown in its place. The router's own lazy component
 * reloads the window instead, which leaves an empty window while the server is down.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<{ [name in Name]: unknown }>,
  name: Name,
): FunctionComponent & { preload: () => Promise<void> } {
  let page: FunctionComponent | undefined;
  let error: NetworkError | undefined;
  let loading: Promise<void> | undefined;
  const preload = () => {
    if (page) return Promise.resolve();
    loading ??= load().then(
      (module) => {
        page = module[name] as FunctionComponent;
        error = undefined;
      },
      (cause) => {
        error = new NetworkError(cause);
        loading = undefined;
      },
    );
    return loading;
  };
  function LazyPage() {
    if (!page && error) return <Failure error={error} reset={() => undefined} />;
    if (!page) use(preload());
    const Page = page as FunctionComponent;
    return <Page />;
  }
  return Object.assign(LazyPage, { preload });
}
