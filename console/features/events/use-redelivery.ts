import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../ui/feedback/confirm.tsx';
import { doneToast, errorToast } from '../../ui/feedback/toasts.tsx';
import { useRedeliver } from './queries.ts';

/** Returns functions that send deliveries of an endpoint again, and report how many. */
export function useRedelivery(id: number) {
  const { t } = useTranslation('events');
  const confirm = useConfirm();
  const { mutateAsync, isPending, error } = useRedeliver(id);
  /** @throws ApiError, NetworkError */
  const send = async (which: Parameters<typeof mutateAsync>[0]) => {
    const { count } = await mutateAsync(which);
    doneToast(count === 0 ? t('redeliver.none') : t('redeliver.done', { count }));
  };
  return {
    isPending,
    error,
    send,
    sendOne: (seq: number) => send({ seq }).catch(errorToast),
    async sendFailed() {
      const question = {
        title: t('redeliver.failedTitle'),
        body: t('redeliver.failedBody'),
        action: t('redeliver.failed'),
      };
      if (await confirm(question)) await send({ failed: true }).catch(errorToast);
    },
  };
}
