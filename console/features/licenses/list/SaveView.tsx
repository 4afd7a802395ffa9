import { Text, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../../ui/forms/FormDialog.tsx';

interface Props {
  /** null while the dialog is closed. */
  name: string | null;
  onChange: (name: string) => void;
  onSubmit: (event: FormEvent) => void;
  onClose: () => void;
}

/** Asks for the name of a view. */
export function SaveView({ name, onChange, onSubmit, onClose }: Props) {
  const { t } = useTranslation('licenses');
  return (
    <FormDialog
      isOpen={name !== null}
      onClose={onClose}
      title={t('view.saveTitle')}
      onSubmit={onSubmit}
      action={t('save')}
    >
      <TextInput
        label={t('view.name')}
        required
        maxLength={60}
        data-autofocus
        value={name ?? ''}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed">
        {t('view.saveHint')}
      </Text>
    </FormDialog>
  );
}
