import { NumberInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../ui/FormDialog.tsx';

interface Props {
  isOpen: boolean;
  onClose: () => void;
  onExtend: (days: number) => void;
}

const MOST = 36_500;

/** Asks by how many days. */
export function ExtendDialog({ isOpen, onClose, onExtend }: Props) {
  const { t } = useTranslation('licenses');
  const [days, setDays] = useState<number | string>(30);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof days === 'number' && days >= 1 && days <= MOST) onExtend(days);
  };
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('extendTitle')}
      onSubmit={submit}
      action={t('bulk.extend')}
      isSending={false}
    >
      <NumberInput
        label={t('extendDays')}
        description={t('extendHint')}
        value={days}
        onChange={setDays}
        min={1}
        max={MOST}
        allowDecimal={false}
        data-autofocus
      />
    </FormDialog>
  );
}
