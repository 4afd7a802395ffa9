import { Button, Group, Progress, Stack, Stepper, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../ui/feedback/confirm.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { AnchorLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { CheckStep } from './CheckStep.tsx';
import { ColumnsStep } from './ColumnsStep.tsx';
import { FileStep } from './FileStep.tsx';
import styles from './ImportPage.module.css';
import { ReportStep } from './ReportStep.tsx';
import { rememberColumns, rememberedColumns } from './remembered-columns.ts';
import {
  type Choices,
  FIRST_CHOICES,
  type FileColumns,
  type Preview,
  type Report,
  useImport,
  type Work,
} from './use-import.ts';

const STEPS = ['file', 'columns', 'check', 'report'] as const;

/** Imports a CSV file in steps: choose, map columns, preview, import. */
export function ImportPage() {
  const { t } = useTranslation('imports');
  const [step, setStep] = useState(0);
  const [choices, setChoices] = useState<Choices>(FIRST_CHOICES);
  const [columns, setColumns] = useState<FileColumns | null>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [report, setReport] = useState<Report | null>(null);
  const job = useImport();
  const confirm = useConfirm();
  const body = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: focus each step when it opens
  useEffect(() => {
    if (!isFirst.current) body.current?.focus();
    isFirst.current = false;
  }, [step]);

  // Leaving loses the mapping, so ask first.
  const isUnderWay = choices.file !== null && report === null;
  useBlocker({
    shouldBlockFn: async () =>
      !(await confirm({
        title: t('leave.title'),
        body: t('leave.body'),
        action: t('leave.action'),
        isDangerous: true,
      })),
    enableBeforeUnload: isUnderWay,
    disabled: !isUnderWay,
  });
  const go = (to: number) => {
    job.clearError();
    setStep(to);
  };
  const { file } = choices;
  const readColumns = async (chosen: File, delimiter: string) => {
    const next = { ...choices, file: chosen, delimiter, mapping: null };
    const result = await job.readColumns(next, chosen);
    if (!result) return;
    setColumns(result);
    setChoices({ ...next, mapping: rememberedColumns(result.columns.map(({ name }) => name)) });
    if (step !== 1) go(1);
  };
  const check = async (next: Choices) => {
    setChoices(next);
    if (!file || !columns || !next.mapping) return;
    rememberColumns(
      columns.columns.map(({ name }) => name),
      next.mapping,
    );
    const result = await job.check(next, file);
    if (!result) return;
    setPreview(result);
    go(2);
  };
  const begin = async (skipBad: boolean) => {
    if (!file) return;
    const result = await job.start(choices, file, skipBad, preview?.lines ?? 0);
    if (!result) return;
    setReport(result);
    go(3);
  };
  const restart = () => {
    setChoices({ ...FIRST_CHOICES, defaults: choices.defaults });
    setColumns(null);
    setPreview(null);
    setReport(null);
    go(0);
  };
  return (
    <>
      <PageHeader
        title={t('title')}
        description={
          <>
            {t('description')}{' '}
            <AnchorLink to="/licenses" underline="always">
              {t('export')}
            </AnchorLink>
          </>
        }
      />
      <Stack gap="lg" maw={960}>
        <Stepper
          active={step}
          size="sm"
          iconSize={32}
          wrap
          allowNextStepsSelect={false}
          classNames={{ stepBody: styles.label }}
          aria-label={t('steps')}
        >
          {STEPS.map((name, i) => (
            <Stepper.Step
              key={name}
              label={t(`step.${name}`)}
              aria-current={i === step ? 'step' : undefined}
              disabled
            />
          ))}
        </Stepper>
        <section
          ref={body}
          tabIndex={-1}
          style={{ outline: 'none' }}
          aria-label={t(`step.${STEPS[step] ?? 'file'}`)}
        >
          {step === 0 && (
            <FileStep
              file={choices.file}
              isBusy={job.work !== null}
              onNext={(chosen) => void readColumns(chosen, '')}
            />
          )}
          {step === 1 && file && columns && (
            <ColumnsStep
              key={columns.delimiter}
              columns={columns}
              choices={choices}
              isBusy={job.work !== null}
              onDelimiter={(delimiter) => void readColumns(file, delimiter)}
              onBack={() => go(0)}
              onNext={(next) => void check(next)}
            />
          )}
          {step === 2 && preview && file && columns && (
            <CheckStep
              preview={preview}
              file={file}
              columns={columns}
              mapping={choices.mapping ?? {}}
              isBusy={job.work !== null}
              onBack={() => go(1)}
              onImport={(skipBad) => void begin(skipBad)}
            />
          )}
          {step === 3 && report && file && columns && (
            <ReportStep
              report={report}
              file={file}
              columns={columns}
              mapping={choices.mapping ?? {}}
              onAgain={restart}
              onBack={() => go(1)}
            />
          )}
        </section>
        {job.work && <Under work={job.work} onStop={job.stop} />}
        {job.error !== null && <ErrorState error={job.error} />}
      </Stack>
    </>
  );
}

/** The progress of the current work, with a stop button. */
function Under({ work: { kind, part }, onStop }: { work: Work; onStop: () => void }) {
  const { t } = useTranslation('imports');
  return (
    <Stack gap={4}>
      <Progress
        value={Math.round((part ?? 1) * 100)}
        animated={part === null || part === 0}
        aria-label={t(`work.${kind}`)}
      />
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {t(`work.${kind}`)}
        </Text>
        <Button size="compact-sm" variant="default" onClick={onStop}>
          {t('stop')}
        </Button>
      </Group>
    </Stack>
  );
}
