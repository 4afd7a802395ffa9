import { Button, Group, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { EXACT_TEXT } from '../../ui/forms/exact-text.ts';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { changesOf, valuesFor } from '../../ui/forms/form-values.ts';
import { submitting } from '../../ui/forms/submitting.ts';
import { WholeNumber } from '../../ui/forms/WholeNumber.tsx';
import { DEFAULT_TERMS } from '../../ui/licenses/license-terms.ts';
import { TermsFields } from '../../ui/licenses/TermsFields.tsx';
import { KeyPreview } from './KeyPreview.tsx';
import { type Generator, type GeneratorValues, useSaveGenerator } from './queries.ts';

const CHARSETS = {
  readable: 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789',
  hex: '0123456789ABCDEF',
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  digits: '0123456789',
} as const;
const CHARSET_NAMES = Object.keys(CHARSETS) as (keyof typeof CHARSETS)[];

const NEW: GeneratorValues = {
  name: '',
  charset: CHARSETS.readable,
  chunks: 4,
  chunk_length: 5,
  separator: '-',
  prefix: '',
  suffix: '',
  activations_limit: 0,
  expires_in: 0,
  ...DEFAULT_TERMS,
};

const FIELDS = Object.keys(NEW) as (keyof GeneratorValues)[];

interface Props {
  /** Null to create a generator. */
  generator: Generator | null;
  isOpen: boolean;
  onClose: () => void;
}

/** The form of a generator, with a live preview of keys. */
export function GeneratorForm({ generator, isOpen, onClose }: Props) {
  const { t } = useTranslation('generators');
  const form = useForm<GeneratorValues>({
    mode: 'controlled',
    initialValues: generator ? valuesFor(generator, FIELDS) : NEW,
  });
  const save = useSaveGenerator(generator);
  const submit = submitting(form, async (values) => {
    const saved = await save.mutateAsync(generator ? changesOf(form.getInitialValues(), values) : values);
    if (!saved) return;
    doneToast(t(generator ? 'saved' : 'created', { name: saved.name }));
    onClose();
  });
  const { charset, chunks, chunk_length, separator, prefix, suffix } = form.getValues();
  const template = { charset, chunks, chunk_length, separator, prefix, suffix };
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={generator ? t('editTitle', { name: generator.name }) : t('createTitle')}
      onSubmit={submit}
      action={generator ? t('saveChanges') : t('create')}
      sent={save}
      fields={form.getValues()}
      asDrawer
    >
      <TextInput
        label={t('column.name')}
        required
        data-autofocus
        maxLength={255}
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t('column.charset')}
        description={t('field.charsetHint')}
        required
        {...EXACT_TEXT}
        maxLength={255}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...form.getInputProps('charset')}
      />
      <Group gap={6} role="group" aria-label={t('charset.label')}>
        {CHARSET_NAMES.map((name) => (
          <Button
            key={name}
            size="compact-sm"
            variant={template.charset === CHARSETS[name] ? 'light' : 'default'}
            aria-pressed={template.charset === CHARSETS[name]}
            onClick={() => form.setFieldValue('charset', CHARSETS[name])}
          >
            {t(`charset.${name}`)}
          </Button>
        ))}
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <WholeNumber label={t('field.chunks')} required min={1} max={100} {...form.getInputProps('chunks')} />
        <WholeNumber
          label={t('field.chunkLength')}
          required
          min={1}
          max={100}
          {...form.getInputProps('chunk_length')}
        />
        <TextInput
          label={t('field.separator')}
          maxLength={64}
          {...EXACT_TEXT}
          {...form.getInputProps('separator')}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={t('field.prefix')}
          maxLength={64}
          {...EXACT_TEXT}
          {...form.getInputProps('prefix')}
        />
        <TextInput
          label={t('field.suffix')}
          maxLength={64}
          {...EXACT_TEXT}
          {...form.getInputProps('suffix')}
        />
      </SimpleGrid>
      <KeyPreview
        template={template}
        onFaults={(faults) => {
          const none = Object.fromEntries(Object.keys(template).map((name) => [name, null]));
          form.setErrors({ ...form.errors, ...none, ...faults });
        }}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <WholeNumber
          label={t('field.limit')}
          description={t('field.limitHint')}
          {...form.getInputProps('activations_limit')}
        />
        <WholeNumber
          label={t('field.expires')}
          description={t('field.expiresHint')}
          {...form.getInputProps('expires_in')}
        />
      </SimpleGrid>
      <TermsFields inputProps={(name) => form.getInputProps(name)} isOfGenerator />
    </FormDialog>
  );
}
