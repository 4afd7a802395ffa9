import { Alert } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Session, sessionQuery } from '../../app/session.ts';
import { PublicPage } from '../../app/shell/PublicPage.tsx';
import { CannotSignIn } from './CannotSignIn.tsx';
import { CodeForm } from './CodeForm.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { placeOf } from './place.ts';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { t } = useTranslation('signIn');
  const router = useRouter();
  const { from } = route.useSearch();
  const { data } = useSuspenseQuery(sessionQuery);
  // Keep the first answer: signing out empties the cache.
  const [latest, setLatest] = useState<Session | null>(null);
  const session = latest ?? data;
  const [isExpired, setExpired] = useState(false);
  const asksForCode = !session.signed_in && session.second_factor;
  // The new session decides which form comes next.
  const next = (now: Session) => {
    setExpired(false);
    setLatest(now);
    if (now.signed_in) void router.navigate({ href: placeOf(from), replace: true });
  };
  return (
    <PublicPage
      title={t(asksForCode ? 'codeTitle' : 'title')}
      description={t(asksForCode ? 'codeDescription' : 'description')}
    >
      {isExpired && !asksForCode && (
        <Alert color="orange" variant="light" role="alert">
          {t('expired')}
        </Alert>
      )}
      {asksForCode ? (
        <CodeForm
          onDone={next}
          onExpired={(now) => {
            setLatest(now);
            setExpired(true);
          }}
        />
      ) : (
        <>
          <PasswordForm onDone={next} />
          <CannotSignIn />
        </>
      )}
    </PublicPage>
  );
}
