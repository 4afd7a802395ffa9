import { SimpleGrid, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { submitting } from '../../ui/forms/submitting.ts';
import { isWhole, WholeNumber } from '../../ui/forms/WholeNumber.tsx';
import type { Endpoint } from './queries.ts';
import { useRedelivery } from './use-redelivery.ts';

interface Props {
  endpoint: Endpoint;
  onClose: () => void;
}

/** Asks for a range of delivery numbers, and sends these deliveries again. */
export function RedeliverRange({ endpoint: { id, last_seq: max }, onClose }: Props) {
  const { t } = useTranslation('events');
  const redelivery = useRedelivery(id);
  const wrong = (value: number | string, min: number) =>
    isWhole(value, min, max) ? null : t('wholeNumber', { min: formatNumber(min), max: formatNumber(max) });
  const form = useForm<{ from: number | string; to: number | string }>({
    initialValues: { from: max, to: max },
    validate: { from: (from) => wrong(from, 1), to: (to, { from }) => wrong(to, Number(from) || 1) },
  });
  const submit = submitting(form, async ({ from, to }) => {
    await redelivery.send({ from: Number(from), to: Number(to) });
    onClose();
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('redeliver.rangeTitle')}
      onSubmit={submit}
      action={t('redeliver.submit')}
      sent={redelivery}
      fields={form.values}
    >
      <Text size="sm">{t('redeliver.rangeBody')}</Text>
      <SimpleGrid cols={2}>
        <WholeNumber
          label={t('redeliver.from')}
          min={1}
          max={max}
          data-autofocus
          {...form.getInputProps('from')}
        />
        <WholeNumber label={t('redeliver.to')} min={1} max={max} {...form.getInputProps('to')} />
      </SimpleGrid>
    </FormDialog>
  );
}
