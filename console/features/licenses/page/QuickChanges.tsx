import { Button, Menu } from '@mantine/core';
import { CalendarPlus, Check, ChevronDown, Tag } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { licensesChanged, queryClient } from '../../../app/query-client.ts';
import { useUndo } from '../../../app/use-undo.ts';
import { useAction } from '../../../ui/actions/use-action.ts';
import { doneToast, errorToast } from '../../../ui/feedback/toasts.tsx';
import { STATUSES, statusOf } from '../../../ui/licenses/license-status.ts';
import { type BulkChange, changeSome } from '../bulk.ts';
import { ExtendMenu } from '../ExtendMenu.tsx';
import { type License, licenseQuery } from '../queries.ts';

/** The most frequent changes of a license, with undo. */
export function QuickChanges({ license }: { license: License }) {
  const { t } = useTranslation('licenses');
  const offerUndo = useUndo();
  const { queryKey } = licenseQuery(license.id);
  const action = useAction({
    mutationFn: (change: BulkChange) => changeSome([license.id], change),
    onMutate: async (change) => {
      // Show the status optimistically; the server computes a new expiry.
      if (!('status' in change)) return;
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData(queryKey);
      queryClient.setQueryData(queryKey, before && { ...before, status: change.status });
      return before;
    },
    onError: (error, _, before) => {
      queryClient.setQueryData(queryKey, before);
      errorToast(error);
    },
    onSuccess: ({ previous }, change) => {
      if (previous.length === 0) return doneToast('status' in change ? t('saved') : t('endless'));
      const message =
        'status' in change
          ? t('statusChanged', { status: t(`status.${statusOf(change)}`) })
          : t('bulk.extended', { count: 1 });
      offerUndo(message, previous);
    },
    onSettled: licensesChanged,
  });
  const isRunning = (name: string) => action.isPending && name in (action.variables ?? {});
  const chevron = <ChevronDown size={14} />;
  return (
    <>
      <ExtendMenu
        button={
          <Button
            variant="default"
            disabled={license.expires_at === null}
            title={license.expires_at === null ? t('endless') : undefined}
            loading={isRunning('extend_days')}
            leftSection={<CalendarPlus size={16} />}
            rightSection={chevron}
          >
            {t('bulk.extend')}
          </Button>
        }
        onExtend={(days) => action.mutate({ extend_days: days })}
      />
      <Menu>
        <Menu.Target>
          <Button
            variant="default"
            loading={isRunning('status')}
            leftSection={<Tag size={16} />}
            rightSection={chevron}
          >
            {t('column.status')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label maw={240}>{t('statusHint')}</Menu.Label>
          {STATUSES.map((status, i) => (
            <Menu.Item
              key={status}
              disabled={license.status === i + 1}
              rightSection={license.status === i + 1 && <Check size={14} />}
              onClick={() => action.mutate({ status: i + 1 })}
            >
              {t(`status.${status}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
