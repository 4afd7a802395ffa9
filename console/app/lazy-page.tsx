import { type FunctionComponent, use } from 'react';
import { NetworkError } from '../client/errors.ts';
import { Failure } from './shell/Failure.tsx';

/**
 * A page that is fetched when somebody goes to it, or is about to. Where that fails it says so in
 * its place; what the router has for that loads the window anew, and leaves nothing of it while the server is away.
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
