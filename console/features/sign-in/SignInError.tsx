import { Alert } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../client/errors.ts';
import { errorText } from '../../ui/feedback/error-text.ts';

/** Whether all attempts have to wait; after too many codes, recovery codes still work. */
const isThrottled = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 429 && error.reason?.code !== 'too_many_codes';

/** Returns the seconds left of the server's `retry-after`; 0 if the error has none. */
export function useWait(error: unknown): number {
  const [until, setUntil] = useState(0);
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const seconds = isThrottled(error) ? (error.retryAfter ?? 60) : 0;
    // One reading of the clock: with two, the form could start with a wait of its own.
    const at = Date.now();
    setNow(at);
    setUntil(at + seconds * 1000);
  }, [error]);
  const left = Math.max(0, Math.ceil((until - now) / 1000));
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setNow(Date.now()), 1000);
    return () => clearTimeout(timer);
  });
  return left;
}

/** Explains why a sign-in was refused. @param wait seconds until the next attempt is allowed */
export function SignInError({ error, wait }: { error: unknown; wait: number }) {
  const { t } = useTranslation('signIn');
  const isApi = error instanceof ApiError;
  if (error == null || (isApi && error.reasons.code) || (isThrottled(error) && wait === 0)) return null;
  const text = () => {
    if (isThrottled(error)) return t('wait', { count: wait });
    if (isApi && error.status === 401) return t('wrong');
    if (isApi && error.status === 422) return t('incomplete');
    return errorText(error);
  };
  return (
    <Alert color="red" variant="light" role="alert" icon={<CircleAlert />}>
      {text()}
    </Alert>
  );
}
