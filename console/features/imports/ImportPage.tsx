import { Button, Group, Progress, Stack, Stepper, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { AnchorLink } from '../../ui/links.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { CheckStep } from './CheckStep.tsx';
import { ColumnsStep } from './ColumnsStep.tsx';
import { FileStep } from './FileStep.tsx';
import styles from './ImportPage.module.css';
import { ReportStep } from './ReportStep.tsx';
import {
  type Choices,
  FIRST_CHOICES,
  type Preview,
  type Report,
  useImport,
  type Work,
} from './use-import.ts';

const STEPS = ['file', 'columns', 'check', 'report'] as const;

/** Imports a file in steps: choose it, say what its columns are, see what it would do, do it. */
export function ImportPage() {
  const { t } = useTranslation('imports');
  const [step, setStep] = useState(0);
  const [choices, setChoices] = useState<Choices>(FIRST_CHOICES);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [report, setReport] = useState<Report | null>(null);
  const job = useImport();
  const body = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus goes to a step when it comes up
  useEffect(() => {
    if (!isFirst.current) body.current?.focus();
    isFirst.current = false;
  }, [step]);

  const go = (to: number) => {
    job.clearError();
    setStep(to);
  };
  const look = async (asked: Choices, next: number) => {
    setChoices(asked);
    const told = await job.preview(asked);
    if (!told) return;
    setPreview(told);
    if (next !== step) go(next);
  };
  const begin = async (skipBad: boolean) => {
    const told = await job.start(choices, skipBad, preview?.lines ?? 0);
    if (!told) return;
    setReport(told);
    go(3);
  };
  const restart = () => {
    setChoices({ ...FIRST_CHOICES, defaults: choices.defaults });
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
              onNext={(file) => void look({ ...choices, file, delimiter: '', mapping: null }, 1)}
            />
          )}
          {step === 1 && preview && (
            <ColumnsStep
              preview={preview}
              choices={choices}
              isBusy={job.work !== null}
              onDelimiter={(delimiter) => void look({ ...choices, delimiter, mapping: null }, 1)}
              onBack={() => go(0)}
              onNext={(asked) => void look(asked, 2)}
            />
          )}
          {step === 2 && preview && (
            <CheckStep
              preview={preview}
              isBusy={job.work !== null}
              onBack={() => go(1)}
              onImport={(skipBad) => void begin(skipBad)}
            />
          )}
          {step === 3 && report && <ReportStep report={report} onAgain={restart} onBack={() => go(2)} />}
        </section>
        {job.work && <Under work={job.work} onStop={job.stop} />}
        {job.error !== null && <ErrorState error={job.error} />}
      </Stack>
    </>
  );
}

/** What is under way, and the button that ends it. */
function Under({ work: { kind, part }, onStop }: { work: Work; onStop: () => void }) {
  const { t } = useTranslation('imports');
  return (
    <Stack gap={4}>
      <Progress
        value={(part ?? 1) * 100}
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
