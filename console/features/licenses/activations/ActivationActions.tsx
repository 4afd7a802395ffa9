import { Group } from '@mantine/core';
import { type LucideIcon, Luggage, Power, PowerOff, TimerReset, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../../app/query-client.ts';
import { useSession } from '../../../app/session.ts';
import { IconAction } from '../../../ui/actions/IconAction.tsx';
import { useAction } from '../../../ui/actions/use-action.ts';
import { useConfirm } from '../../../ui/feedback/confirm.tsx';
import { doneToast, errorToast, undoToast } from '../../../ui/feedback/toasts.tsx';
import { formatTime, instantOf } from '../../../ui/format.ts';
import { type Activation, deactivate, deleteActivation, extend, reactivate } from './activation-queries.ts';
import { BorrowDialog } from './BorrowDialog.tsx';

/**
 * Undoes the deactivation of an activation. A device that had borrowed its seat gets it for the time that
 * was left, rounded up to a full hour.
 */
async function giveBack({ id, is_borrowed, seat_expires_at, borrow_max_hours }: Activation) {
  await reactivate(id);
  if (!is_borrowed || seat_expires_at === null) return;
  const hours = Math.ceil((instantOf(seat_expires_at).getTime() - Date.now()) / HOUR_MS);
  if (hours > 0) await extend(id, Math.min(hours, borrow_max_hours));
}
const HOUR_MS = 3_600_000;

const ACTIONS = { extend: (id: number) => extend(id), deactivate, reactivate, delete: deleteActivation };

/** The actions of an activation that the role allows. */
export function ActivationActions({ activation }: { activation: Activation }) {
  const { t } = useTranslation('activations');
  const { can } = useSession();
  const confirm = useConfirm();
  const { id, deactivated_at, is_floating, borrow_max_hours } = activation;
  const [isBorrowing, setBorrowing] = useState(false);
  const mutation = useAction({
    mutationFn: (what: keyof typeof ACTIONS): Promise<Partial<Activation>> => ACTIONS[what](id),
    onError: errorToast,
    onSuccess: (changed, what) => {
      if (what === 'extend') doneToast(t('didExtend', { at: formatTime(changed.seat_expires_at ?? '') }));
      else if (what === 'deactivate')
        undoToast(t('didDeactivate'), () => giveBack(activation).finally(licensesChanged));
      else doneToast(what === 'reactivate' ? t('didReactivate') : t('didDelete'));
    },
    onSettled: licensesChanged,
  });
  const label = activation.label ?? `#${id}`;
  const remove = async () => {
    const question = { title: t('deleteTitle', { label }), body: t('deleteBody'), action: t('deleteAction') };
    if (await confirm({ ...question, isDangerous: true })) mutation.mutate('delete');
  };
  const button = (action: string, icon: LucideIcon, onClick: () => void, color = 'gray') => (
    <IconAction
      tip={action}
      label={t('of', { action, label })}
      icon={icon}
      color={color}
      disabled={mutation.isPending}
      onClick={onClick}
    />
  );
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {can('licenses.write') && deactivated_at === null && is_floating && (
        <>
          {button(t('extend'), TimerReset, () => mutation.mutate('extend'))}
          {borrow_max_hours > 0 && button(t('borrow'), Luggage, () => setBorrowing(true))}
        </>
      )}
      {can('licenses.write') &&
        (deactivated_at === null
          ? button(t('deactivate'), PowerOff, () => mutation.mutate('deactivate'))
          : button(t('reactivate'), Power, () => mutation.mutate('reactivate')))}
      {can('activations.delete') && button(t('delete'), Trash2, () => void remove(), 'red')}
      {isBorrowing && (
        <BorrowDialog activation={activation} label={label} onClose={() => setBorrowing(false)} />
      )}
    </Group>
  );
}
