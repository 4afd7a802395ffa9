import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { licensesChanged } from '../../../app/query-client.ts';
import { fieldErrors } from '../../../client/errors.ts';
import { useAction } from '../../../ui/actions/use-action.ts';
import { doneToast } from '../../../ui/feedback/toasts.tsx';
import { formatNumber, formatTime } from '../../../ui/format.ts';
import { FormDialog } from '../../../ui/forms/FormDialog.tsx';
import { isWhole, WholeNumber } from '../../../ui/forms/WholeNumber.tsx';
import { type Activation, extend } from './activation-queries.ts';

interface Props {
  activation: Activation;
  /** The label of the device. */
  label: string;
  onClose: () => void;
}

/** Asks how long a device may keep its floating seat while offline. */
export function BorrowDialog({ activation, label, onClose }: Props) {
  const { t } = useTranslation('activations');
  const { id, borrow_max_hours: max } = activation;
  const [hours, setHours] = useState<number | string>(Math.min(max, 24));
  const [isSubmitted, setSubmitted] = useState(false);
  const isValid = isWhole(hours, 1, max);
  const borrow = useAction({
    mutationFn: () => extend(id, Number(hours)),
    onSuccess: ({ seat_expires_at: at }) => {
      if (at !== null) doneToast(t('didExtend', { at: formatTime(at) }));
      onClose();
    },
    onSettled: licensesChanged,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(!isValid);
    if (isValid) borrow.mutate();
  };
  const refused = borrow.error && fieldErrors(borrow.error).borrow_hours;
  return (
    <FormDialog
      onClose={onClose}
      title={t('borrowTitle', { label })}
      onSubmit={submit}
      action={t('borrow')}
      sent={borrow}
      fields={{ borrow_hours: hours }}
    >
      <WholeNumber
        label={t('borrowHours')}
        description={t('borrowHint', { max: formatNumber(max) })}
        value={hours}
        onChange={setHours}
        min={1}
        max={max}
        error={refused ?? (isSubmitted && !isValid && t('wholeNumber', { min: 1, max: formatNumber(max) }))}
        data-autofocus
      />
    </FormDialog>
  );
}
