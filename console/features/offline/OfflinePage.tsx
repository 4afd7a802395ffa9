import { Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../app/query-client.ts';
import { fieldErrors } from '../../client/errors.ts';
import { useAction } from '../../ui/actions/use-action.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { activate, deactivate, readText } from './queries.ts';
import { Ended, Leased } from './Result.tsx';
import { Review } from './Review.tsx';
import { TakeText } from './TakeText.tsx';

/** Every lease begins with this prefix. Leases belong on the device, not on this page. */
const LEASE_PREFIX = 'LKLEASE1.';

/** Activates devices without a network by their requests, and frees their seats by their receipts. */
export function OfflinePage() {
  const { t } = useTranslation('offline');
  const [text, setText] = useState('');
  const isLease = text.startsWith(LEASE_PREFIX);
  const reading = useAction({ mutationFn: readText });
  const activating = useAction({ mutationFn: activate, onSuccess: licensesChanged });
  const ending = useAction({ mutationFn: deactivate, onSuccess: licensesChanged });
  const restart = () => {
    setText('');
    for (const one of [reading, activating, ending]) one.reset();
  };
  const take = (sent: string) => {
    // Mail programs break long lines.
    const whole = sent.replace(/\s+/g, '');
    restart();
    setText(whole);
    if (!whole.startsWith(LEASE_PREFIX)) reading.mutate(whole);
  };
  const faults = Object.values(fieldErrors(reading.error));
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <Stack gap="lg" maw={760}>
        {activating.data ? (
          <Leased leased={activating.data} onNext={restart} />
        ) : ending.data ? (
          <Ended activation={ending.data} onNext={restart} />
        ) : reading.data ? (
          <Review
            said={reading.data}
            isBusy={activating.isPending || ending.isPending}
            error={activating.error ?? ending.error}
            onConfirm={() => (reading.data.kind === 'request' ? activating : ending).mutate(text)}
            onBack={restart}
          />
        ) : (
          <>
            <TakeText
              fault={isLease ? t('take.isLease') : faults.join(' ') || null}
              isBusy={reading.isPending}
              onText={take}
            />
            {reading.error && faults.length === 0 && <ErrorState error={reading.error} />}
          </>
        )}
      </Stack>
    </>
  );
}
