import { Container } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { NetworkError } from '../../client/errors.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { isServed, reloadOnce } from '../../ui/loading/reload.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';

/** The error messages of browsers and Vite for a chunk that cannot be loaded. */
const MISSING = /dynamically imported module|Importing a module script failed|Unable to preload CSS/;

/** Replaces a page that failed or could not be loaded. */
export function Failure({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation('shell');
  const router = useRouter();
  const isMissing = error instanceof NetworkError || MISSING.test(String(error));
  useEffect(() => {
    if (!isMissing) return;
    void reloadOnce();
    return reloadWhenBack();
  }, [isMissing]);
  const retry = async () => {
    // Browsers cache a failed module import until the window is reloaded.
    if (isMissing && (await isServed())) return window.location.reload();
    await router.invalidate();
    reset();
  };
  return (
    <Container py="xl">
      <PageHeader title={t('failure.title')} />
      {/* Do not retry automatically if the code is missing: for a chunk that no longer exists, the reloads would never
         end. */}
      <ErrorState
        error={isMissing ? new NetworkError(error) : error}
        onRetry={() => void retry()}
        retriesByItself={!isMissing}
      />
    </Container>
  );
}

/** Milliseconds between two checks whether the server serves this page again. */
const PAUSE_MS = 3_000;

/**
 * Reloads the window once the server serves this page again after an outage.
 * @returns a function that stops checking
 */
function reloadWhenBack(): () => void {
  let wasAway = false;
  const look = async () => {
    const served = await isServed();
    if (served && wasAway) window.location.reload();
    wasAway ||= !served;
  };
  // Check at once: the server may be reachable again before the first pause ends.
  void look();
  const timer = setInterval(look, PAUSE_MS);
  return () => clearInterval(timer);
}
