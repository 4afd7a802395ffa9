import { Alert, Button, Group, Stack } from '@mantine/core';
import { CircleCheck, CircleX } from 'lucide-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { announce } from '../../ui/feedback/announce.tsx';
import { formatNumber } from '../../ui/format.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { RejectedLines } from './RejectedLines.tsx';
import type { FileColumns, Report } from './use-import.ts';

interface Props {
  report: Report;
  file: File;
  columns: FileColumns;
  mapping: Readonly<Record<string, string>>;
  onAgain: () => void;
  onBack: () => void;
}

/** The result of an import. */
export function ReportStep({ report, onAgain, onBack, ...file }: Props) {
  const { t } = useTranslation('imports');
  const { done, imported, rejected } = report;
  const bad = rejected.total;
  const summary = done
    ? t('report.done', { count: imported, number: formatNumber(imported) })
    : t('report.refused');
  useEffect(() => announce(summary), [summary]);
  return (
    <Stack>
      <Alert color={done ? 'teal' : 'red'} icon={done ? <CircleCheck /> : <CircleX />} title={summary}>
        {done
          ? bad > 0 && t('report.leftOut', { count: bad, number: formatNumber(bad) })
          : t('report.refusedNext')}
      </Alert>
      {bad > 0 && <RejectedLines rejected={rejected} {...file} />}
      <Group justify="space-between">
        {done ? <span /> : <Button onClick={onBack}>{t('back')}</Button>}
        <Group gap="xs">
          <Button variant="default" onClick={onAgain}>
            {t('report.again')}
          </Button>
          {done && <ButtonLink to="/licenses">{t('report.licenses')}</ButtonLink>}
        </Group>
      </Group>
    </Stack>
  );
}
