import { Button, Menu, Progress, Text } from '@mantine/core';
import { CalendarPlus, ChevronDown, Download, Tag, Trash2, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session.ts';
import { IconAction } from '../../ui/actions/IconAction.tsx';
import { useConfirm } from '../../ui/feedback/confirm.tsx';
import { doneToast, errorToast } from '../../ui/feedback/toasts.tsx';
import { formatNumber } from '../../ui/format.ts';
import { STATUSES } from '../../ui/licenses/license-status.ts';
import type { Selection } from '../../ui/table/selection.ts';
import { exportLicenses, SELECTED_MAX } from './bulk.ts';
import { ExtendMenu } from './ExtendMenu.tsx';
import { useBulk } from './use-bulk.ts';

/** To delete more licenses than this, the user has to type their number. */
const TYPED_ABOVE = 100;

interface Props {
  selection: Selection;
  /** Follows the actions. */
  children?: ReactNode;
}

/** The actions for the selected licenses. */
export function BulkActions({ selection, children }: Props) {
  const { t } = useTranslation('licenses');
  const { can } = useSession();
  const confirm = useConfirm();
  const { done, total, isStopping, change, remove, stop } = useBulk(selection);
  const [isExporting, setExporting] = useState(false);
  const { ids, size } = selection;

  const askToRemove = async () => {
    const isSure = await confirm({
      title: t('bulk.deleteTitle', { count: size }),
      body: t('bulk.deleteBody', { count: size }),
      action: t('bulk.deleteAction', { count: size }),
      isDangerous: true,
      ...(size > TYPED_ABOVE && { typed: size }),
    });
    if (isSure) await remove();
  };
  const save = async () => {
    if (size > SELECTED_MAX) return doneToast(t('bulk.tooMany', { number: formatNumber(SELECTED_MAX) }));
    setExporting(true);
    await exportLicenses([...ids]).catch(errorToast);
    setExporting(false);
  };

  if (done !== null)
    return (
      <>
        <Progress value={(done / total) * 100} w={120} aria-hidden />
        <Text size="sm" role="status">
          {t('bulk.working', { done: formatNumber(done), total: formatNumber(total) })}
        </Text>
        <Button size="xs" variant="default" loading={isStopping} onClick={stop}>
          {t('bulk.stop')}
        </Button>
      </>
    );
  const chevron = <ChevronDown size={14} />;
  return (
    <>
      {can('licenses.write') && (
        <>
          <Menu>
            <Menu.Target>
              <Button size="xs" variant="default" leftSection={<Tag size={14} />} rightSection={chevron}>
                {t('bulk.status')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label maw={240}>{t('statusHint')}</Menu.Label>
              {STATUSES.map((status, i) => (
                <Menu.Item key={status} onClick={() => void change({ status: i + 1 })}>
                  {t(`status.${status}`)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          <ExtendMenu
            button={
              <Button
                size="xs"
                variant="default"
                leftSection={<CalendarPlus size={14} />}
                rightSection={chevron}
              >
                {t('bulk.extend')}
              </Button>
            }
            onExtend={(days) => void change({ extend_days: days })}
          />
        </>
      )}
      {can('licenses.keys') && (
        <Button
          size="xs"
          variant="default"
          leftSection={<Download size={14} />}
          loading={isExporting}
          onClick={() => void save()}
        >
          {t('bulk.export')}
        </Button>
      )}
      {can('licenses.delete') && (
        <Button
          size="xs"
          variant="light"
          color="red"
          leftSection={<Trash2 size={14} />}
          onClick={() => void askToRemove()}
        >
          {t('bulk.delete')}
        </Button>
      )}
      <IconAction tip={t('bulk.clear')} icon={X} onClick={selection.clear} />
      {children}
    </>
  );
}
