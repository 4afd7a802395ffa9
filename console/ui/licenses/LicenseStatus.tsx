import { useTranslation } from 'react-i18next';
import { StatusBadge, type Tone } from '../StatusBadge.tsx';
import { type Status, statusOf } from './license-status.ts';

const TONES: Record<Status, Tone> = {
  sold: 'info',
  delivered: 'info',
  active: 'good',
  inactive: 'neutral',
  disabled: 'bad',
};

export function LicenseStatus({ license }: { license: { status: number } }) {
  const { t } = useTranslation('licenses');
  const status = statusOf(license);
  return <StatusBadge tone={TONES[status]}>{t(`status.${status}`)}</StatusBadge>;
}
