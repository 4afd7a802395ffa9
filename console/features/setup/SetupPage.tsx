import { Alert, Code, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { PublicPage } from '../../app/shell/PublicPage.tsx';
import { ApiError } from '../../client/errors.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { AnchorLink } from '../../ui/links.tsx';
import { linkQuery } from './queries.ts';
import { SetupForm } from './SetupForm.tsx';
import { forgetToken, useHeldToken } from './token.ts';

export function SetupPage() {
  const token = useHeldToken();
  return token === null ? <NoLink /> : <Linked key={token} token={token} />;
}

/** Instructions for a visitor without a link. */
function NoLink() {
  const { t } = useTranslation('setup');
  return (
    <PublicPage title={t('title')} description={t('noLink.description')}>
      <Text size="sm">{t('noLink.log')}</Text>
      <Text size="sm">{t('noLink.command')}</Text>
      <Code block style={{ whiteSpace: 'pre-wrap' }}>
        latchkey user create --role owner --email you@example.com --name You
      </Code>
      <SignInLink />
    </PublicPage>
  );
}

function SignInLink() {
  const { t } = useTranslation('setup');
  return (
    <AnchorLink to={'/sign-in' as string} size="sm" py={4} reloadDocument>
      {t('toSignIn')}
    </AnchorLink>
  );
}

function Linked({ token }: { token: string }) {
  const { t } = useTranslation('setup');
  const { data: link, error, refetch } = useQuery(linkQuery(token));
  const isBad = error instanceof ApiError && error.status < 500;
  useEffect(() => {
    if (isBad) forgetToken();
  }, [isBad]);
  if (link) {
    const { purpose, name } = link;
    return (
      <PublicPage
        title={purpose === 'setup' ? t('title') : t('welcome', { name })}
        description={t(`description.${purpose}`)}
      >
        <SetupForm token={token} link={link} />
      </PublicPage>
    );
  }
  return (
    <PublicPage title={t('passwordTitle')}>
      {isBad && (
        <Alert color="orange" variant="light" role="alert" title={t('bad.title')}>
          {t('bad.next')}
        </Alert>
      )}
      {isBad && <SignInLink />}
      {error && !isBad && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && <Skeleton height={180} />}
    </PublicPage>
  );
}
