import { Button, Group, Modal, Progress, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { fieldErrors, isOfFields } from '../../client/errors.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { formatDuration, formatNumber } from '../../ui/format.ts';
import { Select } from '../../ui/forms/choices.tsx';
import { useDiscard } from '../../ui/forms/use-discard.ts';
import { useRefusedField } from '../../ui/forms/use-refused-field.ts';
import { WholeNumber } from '../../ui/forms/WholeNumber.tsx';
import { STATUSES } from '../../ui/licenses/license-status.ts';
import { ShopFields } from '../../ui/licenses/ShopFields.tsx';
import { GeneratedKeys } from './GeneratedKeys.tsx';
import { patternOf } from './pattern.ts';
import type { Generator } from './queries.ts';
import { START, useGenerate } from './use-generate.ts';

interface Props {
  generator: Generator;
  isOpen: boolean;
  onClose: () => void;
}

/** Generates keys: a form, a progress bar, then the keys. */
export function GenerateDialog({ generator, isOpen, onClose }: Props) {
  const { t } = useTranslation(['generators', 'licenses']);
  const form = useForm({ mode: 'controlled', initialValues: START });
  const work = useGenerate(generator.id);
  const { amount, save } = form.getValues();
  const { activations_limit: limit, expires_in: days } = generator;
  /** What the generator gives each license, which the form cannot change. */
  const given = [
    `${t('field.limit')}: ${limit === 0 ? t('unlimited') : formatNumber(limit)}`,
    days === 0 ? t('forever') : `${t('column.expires')}: ${formatDuration(days, 'day')}`,
  ].join(' · ');
  const submit = form.onSubmit(async (values) => form.setErrors(fieldErrors(await work.start(values))));
  const { note, forget } = useRefusedField(work.isRunning);
  const isUnsaved = work.made !== null && !work.made.saved;
  const { ref, close } = useDiscard(onClose, {
    isChanged: isOpen && (isUnsaved || work.isRunning),
    ...(isUnsaved && { body: t('generate.discard') }),
    stop: work.stop,
  });
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t('generate.title', { name: generator.name })}
      size="lg"
      closeOnClickOutside={!work.isRunning && !work.made}
    >
      {work.made ? (
        <GeneratedKeys made={work.made} name={generator.name} onClose={close} />
      ) : (
        <form ref={ref} onSubmitCapture={note} onSubmit={submit} onInput={forget} noValidate>
          <Stack>
            <Text size="sm" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {patternOf(generator)}
            </Text>
            <WholeNumber
              label={t('generate.amount')}
              required
              min={1}
              max={100_000}
              data-autofocus
              {...form.getInputProps('amount')}
            />
            <Switch
              label={t('generate.save')}
              description={t('generate.saveHint')}
              {...form.getInputProps('save', { type: 'checkbox' })}
            />
            {save && (
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <Text size="sm" c="dimmed" style={{ gridColumn: '1 / -1' }}>
                  {given}
                </Text>
                <Select
                  label={t('column.status')}
                  allowDeselect={false}
                  data={STATUSES.map((value) => ({ value, label: t(`licenses:status.${value}`) }))}
                  {...form.getInputProps('status')}
                />
                <ShopFields inputProps={(name) => form.getInputProps(name)} />
              </SimpleGrid>
            )}
            {work.isRunning && (
              <Stack gap={4}>
                <Progress
                  value={Math.round(work.part * 100)}
                  aria-label={t('generate.progress')}
                  animated={work.part === 0}
                />
                <Text size="sm" c="dimmed">
                  {t('generate.done', {
                    done: formatNumber(Math.round(work.part * Number(amount))),
                    total: formatNumber(Number(amount)),
                  })}
                </Text>
              </Stack>
            )}
            {work.error !== null && !isOfFields(work.error, form.getValues()) && (
              <ErrorState error={work.error} />
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={work.isRunning ? work.stop : onClose}>
                {work.isRunning ? t('generate.stop') : t('cancel')}
              </Button>
              <Button type="submit" loading={work.isRunning}>
                {t(save ? 'generate.actionSave' : 'generate.action')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
