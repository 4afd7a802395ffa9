import { Button, Group, Menu, Select } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CalendarPlus, ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../app/query-client.ts';
import { useUndo } from '../../app/use-undo.ts';
import { doneToast, errorToast } from '../../ui/feedback/toasts.tsx';
import { STATUSES, statusOf } from '../../ui/licenses/license-status.ts';
import { EXTENSIONS } from './BulkActions.tsx';
import { type BulkChange, changeSome } from './bulk.ts';
import { ExtendDialog } from './ExtendDialog.tsx';
import { type License, licenseQuery } from './queries.ts';

/** The most frequent changes of a license, with undo. */
export function QuickChanges({ license }: { license: License }) {
  const { t } = useTranslation('licenses');
  const client = useQueryClient();
  const offerUndo = useUndo();
  const [isExtending, setExtending] = useState(false);
  const { queryKey } = licenseQuery(license.id);
  const mutation = useMutation({
    mutationFn: (change: BulkChange) => changeSome([license.id], change),
    onMutate: (change) => {
      // Show the status optimistically; the server computes a new expiry.
      if ('status' in change)
        client.setQueryData(queryKey, (shown) => shown && { ...shown, status: change.status });
    },
    onError: errorToast,
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
  const extend = (days: number) => mutation.mutate({ extend_days: days });
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label={t('column.status')}
        data={STATUSES.map((status, i) => ({ value: String(i + 1), label: t(`status.${status}`) }))}
        value={String(license.status)}
        onChange={(chosen) => chosen && mutation.mutate({ status: Number(chosen) })}
        allowDeselect={false}
        w={170}
      />
      <Menu>
        <Menu.Target>
          <Button
            variant="default"
            disabled={license.expires_at === null}
            title={license.expires_at === null ? t('endless') : undefined}
            loading={mutation.isPending && 'extend_days' in (mutation.variables ?? {})}
            leftSection={<CalendarPlus size={16} aria-hidden />}
            rightSection={<ChevronDown size={14} aria-hidden />}
          >
            {t('bulk.extend')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {EXTENSIONS.map((days) => (
            <Menu.Item key={days} onClick={() => extend(days)}>
              {t('days', { count: days })}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => setExtending(true)}>{t('bulk.extendOther')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ExtendDialog
        isOpen={isExtending}
        onClose={() => setExtending(false)}
        onExtend={(days) => {
          setExtending(false);
          extend(days);
        }}
      />
    </Group>
  );
}
