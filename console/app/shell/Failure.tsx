import { Container } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { NetworkError } from '../../client/errors.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';

const RELOADED = 'latchkey-reloaded';
/** Within it the window does not load itself anew twice. */
const RELOADED_MS = 60_000;
/** What browsers and Vite say of a part of a page that does not come. */
const MISSING = /dynamically imported module|Importing a module script failed|Unable to preload CSS/;

/** In the place of a page that broke, or could not be loaded. */
export function Failure({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation('shell');
  const router = useRouter();
  const isMissing = error instanceof NetworkError || MISSING.test(String(error));
  useEffect(() => {
    if (isMissing) void reloadOnce();
  }, [isMissing]);
  const retry = async () => {
    // What a browser did not get it may not ask for again before the window is loaded anew.
    if (isMissing && (await isServed())) return window.location.reload();
    await router.invalidate();
    reset();
  };
  return (
    <Container py="xl">
      <PageHeader title={t('failure.title')} />
      <ErrorState error={isMissing ? new NetworkError(error) : error} onRetry={() => void retry()} />
    </Container>
  );
}

/** Whether this page could be loaded anew. */
const isServed = (): Promise<boolean> =>
  fetch(window.location.href, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Where the server answers and a part of the page is gone, it has been upgraded: the page of its present version is right. */
async function reloadOnce(): Promise<void> {
  const last = Number(sessionStorage.getItem(RELOADED));
  if (Date.now() - last < RELOADED_MS || !(await isServed())) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  window.location.reload();
}
