import type { TFunction } from 'i18next';
import { type Health, nameOf } from '../../ui/events/endpoint-health.ts';
import { formatNumber } from '../../ui/format.ts';
import type { Tone } from '../../ui/StatusBadge.tsx';
import type { Delivery, Endpoint } from './queries.ts';

type T = TFunction<'events'>;

export const HEALTH_TONES: Record<Health, Tone> = {
  enabled: 'good',
  retrying: 'warning',
  failing: 'bad',
  gone: 'bad',
  disabled: 'neutral',
};
export const DELIVERY_TONES: Record<Delivery['state'], Tone> = {
  pending: 'info',
  delivered: 'good',
  failed: 'bad',
  kept: 'neutral',
};

export const titleOf = (t: T, endpoint: Endpoint): string =>
  nameOf(endpoint) ?? t('untitled', { id: endpoint.id });

/** Describes the event types of an endpoint: 'All', '3 types'. */
export const typesText = (t: T, types: Endpoint['types']): string =>
  types === null ? t('all') : t('someTypes', { count: types.length });

/** Whether deliveries can be sent to the endpoint again. */
export const isReachable = ({ kind, state }: Endpoint): boolean => kind === 'webhook' && state !== 'disabled';

/** Says when the next attempt of a delivery is. */
export function nextText(
  t: T,
  { state }: Endpoint,
  delivery: Delivery,
  format: (time: string) => string,
): string {
  if (delivery.state !== 'pending' || state !== 'enabled') return '–';
  return delivery.next_attempt_at === null ? t('deliveries.soon') : format(delivery.next_attempt_at);
}

const ANSWERED = /^the receiver answered (\d+)$/;
/** Translates a stored error, which is in English, if it names an HTTP status. */
export const errorWords = (t: T, error: string): string => {
  const status = ANSWERED.exec(error)?.[1];
  return status ? t('answered', { status }) : error;
};

/** The error in short, such as 'HTTP 503'. */
export const shortError = (t: T, error: string): string => {
  const status = ANSWERED.exec(error)?.[1];
  return status ? t('deliveries.status', { status }) : error;
};

/** The status of the answer, 'HTTP 200', or why there was no answer. */
export const answerText = (t: T, { status, error }: Pick<Delivery, 'status' | 'error'>): string =>
  status === null ? (error ?? '–') : t('deliveries.status', { status });

/** The share of attempts that were delivered, '98 %'. Rounded down, so that 100 % means all. */
export const shareText = (delivered: number, total: number): string =>
  formatNumber(Math.floor((delivered / total) * 100) / 100, { style: 'percent' });
