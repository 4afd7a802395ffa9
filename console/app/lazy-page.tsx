import { type FunctionComponent, use } from 'react';
import { loader, withShared } from '../ui/loading/lazy-part.tsx';
import { Failure } from './shell/Failure.tsx';

/**
 * A page whose code is loaded on navigation or preload. If loading fails, the page shows the error. The router's own lazy
 * component would reload the window instead, and leave it empty while the server is down.
 * @param isFirst whether the page belongs to the first load, without the texts and styles of the other pages
 */
export function lazyPage<Name extends string>(
  load: () => Promise<{ [name in Name]: unknown }>,
  name: Name,
  { isFirst = false } = {},
): FunctionComponent & { preload: () => Promise<void> } {
  const loading = loader(async () => {
    const module = await (isFirst ? load() : withShared(load));
    return module[name] as FunctionComponent;
  });
  function LazyPage() {
    if (!loading.part && loading.error) return <Failure error={loading.error} reset={() => undefined} />;
    if (!loading.part) use(loading.preload());
    const Page = loading.part as FunctionComponent;
    return <Page />;
  }
  return Object.assign(LazyPage, { preload: async () => void (await loading.preload()) });
}
