import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { isWhole, WholeNumber } from '../../ui/forms/WholeNumber.tsx';

interface Props {
  isOpen: boolean;
  onClose: () => void;
  onExtend: (days: number) => void;
}

const MOST = 36_500;

/** Asks by how many days to extend. */
export function ExtendDialog({ isOpen, onClose, onExtend }: Props) {
  const { t } = useTranslation('licenses');
  const { t: common } = useTranslation('common');
  const [isSubmitted, setSent] = useState(false);
  const [days, setDays] = useState<number | string>(30);
  const isValid = isWhole(days, 1, MOST);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSent(!isValid);
    if (isValid) onExtend(Number(days));
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
      <WholeNumber
        label={t('extendDays')}
        description={t('extendHint')}
        value={days}
        onChange={setDays}
        min={1}
        max={MOST}
        error={isSubmitted && !isValid && common('wholeNumber', { min: 1, max: formatNumber(MOST) })}
        data-autofocus
      />
    </FormDialog>
  );
}
