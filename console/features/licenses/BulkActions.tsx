import { ActionIcon, Button, Loader, Menu, Text, Tooltip } from '@mantine/core';
import { CalendarPlus, ChevronDown, Download, Tag, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../app/query-client.ts';
import { useSession } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { formatNumber } from '../../ui/format.ts';
import { STATUSES } from '../../ui/license-status.ts';
import { saveAddress } from '../../ui/save.ts';
import type { Selection } from '../../ui/table/selection.ts';
import { doneToast, errorToast, undoToast } from '../../ui/toasts.tsx';
import { ExtendDialog } from './ExtendDialog.tsx';
import {
  BULK_MAX,
  type BulkChange,
  changeLicenses,
  deleteLicenses,
  exportAddress,
  restoreLicenses,
} from './queries.ts';

export const EXTENSIONS = [30, 90, 365];

/** What can be done to the licenses that are selected. */
export function BulkActions({ selection }: { selection: Selection }) {
  const { t } = useTranslation('licenses');
  const { can } = useSession();
  const confirm = useConfirm();
  const [done, setDone] = useState<number | null>(null);
  const [isExtending, setExtending] = useState(false);
  const { ids, size } = selection;

  /** @param work answers the error that kept some from being done; the selection stays for another try */
  const working = async (work: () => Promise<unknown>) => {
    setDone(0);
    const error = await work();
    if (error === null) selection.clear();
    else errorToast(error);
    setDone(null);
    await licensesChanged();
  };
  const change = (what: BulkChange) =>
    working(async () => {
      const { previous, unchanged, error } = await changeLicenses(ids, what, setDone);
      if (error !== null && previous.length === 0) return error;
      const isExtension = 'extend_days' in what;
      const told = [
        isExtension
          ? t('bulk.extended', { count: previous.length })
          : t('bulk.changed', { count: previous.length }),
        unchanged.length > 0 &&
          (isExtension
            ? t('bulk.endless', { count: unchanged.length })
            : t('bulk.unchanged', { count: unchanged.length })),
      ];
      const message = told.filter(Boolean).join(' ');
      if (previous.length === 0) doneToast(message);
      else undoToast(message, () => restoreLicenses(previous).finally(licensesChanged));
      return error;
    });
  const remove = async () => {
    const isSure = await confirm({
      title: t('bulk.deleteTitle', { count: size }),
      body: t('bulk.deleteBody'),
      action: t('bulk.deleteAction', { count: size }),
      isDangerous: true,
    });
    if (!isSure) return;
    await working(async () => {
      const { deleted, error } = await deleteLicenses(ids, setDone);
      if (deleted > 0) doneToast(t('bulk.deleted', { count: deleted }));
      return error;
    });
  };

  if (done !== null)
    return (
      <>
        <Loader size="xs" aria-hidden />
        <Text size="sm" role="status">
          {t('bulk.working', { done: formatNumber(done), total: formatNumber(size) })}
        </Text>
      </>
    );
  const chevron = <ChevronDown size={14} aria-hidden />;
  return (
    <>
      {can('licenses.write') && (
        <>
          <Menu>
            <Menu.Target>
              <Button
                size="xs"
                variant="default"
                leftSection={<Tag size={14} aria-hidden />}
                rightSection={chevron}
              >
                {t('bulk.status')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {STATUSES.map((status, i) => (
                <Menu.Item key={status} onClick={() => void change({ status: i + 1 })}>
                  {t(`status.${status}`)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          <Menu>
            <Menu.Target>
              <Button
                size="xs"
                variant="default"
                leftSection={<CalendarPlus size={14} aria-hidden />}
                rightSection={chevron}
              >
                {t('bulk.extend')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {EXTENSIONS.map((days) => (
                <Menu.Item key={days} onClick={() => void change({ extend_days: days })}>
                  {t('days', { count: days })}
                </Menu.Item>
              ))}
              <Menu.Item onClick={() => setExtending(true)}>{t('bulk.extendOther')}</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      )}
      {can('licenses.keys') && (
        <Button
          size="xs"
          variant="default"
          leftSection={<Download size={14} aria-hidden />}
          onClick={() =>
            size > BULK_MAX ? doneToast(t('bulk.tooMany')) : saveAddress(exportAddress({}, ids))
          }
        >
          {t('bulk.export')}
        </Button>
      )}
      {can('licenses.delete') && (
        <Button
          size="xs"
          variant="light"
          color="red"
          leftSection={<Trash2 size={14} aria-hidden />}
          onClick={() => void remove()}
        >
          {t('bulk.delete')}
        </Button>
      )}
      <Tooltip label={t('bulk.clear')}>
        <ActionIcon variant="subtle" color="gray" aria-label={t('bulk.clear')} onClick={selection.clear}>
          <X size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <ExtendDialog
        isOpen={isExtending}
        onClose={() => setExtending(false)}
        onExtend={(days) => {
          setExtending(false);
          void change({ extend_days: days });
        }}
      />
    </>
  );
}
