import { Menu } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDuration, formatNumber } from '../../ui/format.ts';
import { FormDialog } from '../../ui/forms/FormDialog.tsx';
import { isWhole, WholeNumber } from '../../ui/forms/WholeNumber.tsx';

const EXTENSIONS = [30, 90, 365];
const MOST = 36_500;

interface Props {
  /** Opens the menu. */
  button: ReactNode;
  onExtend: (days: number) => void;
}

/** A menu of days by which to extend licenses. */
export function ExtendMenu({ button, onExtend }: Props) {
  const { t } = useTranslation('licenses');
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Menu>
        <Menu.Target>{button}</Menu.Target>
        <Menu.Dropdown>
          {EXTENSIONS.map((days) => (
            <Menu.Item key={days} onClick={() => onExtend(days)}>
              {formatDuration(days, 'day')}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => setAsking(true)}>{t('bulk.extendOther')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ExtendDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onExtend={(days) => {
          setAsking(false);
          onExtend(days);
        }}
      />
    </>
  );
}

interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  onExtend: (days: number) => void;
}

/** Asks by how many days to extend. */
function ExtendDialog({ isOpen, onClose, onExtend }: DialogProps) {
  const { t } = useTranslation('licenses');
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
      title={t('bulk.extend')}
      onSubmit={submit}
      action={t('bulk.extend')}
    >
      <WholeNumber
        label={t('extendDays')}
        description={t('extendHint')}
        value={days}
        onChange={setDays}
        min={1}
        max={MOST}
        error={isSubmitted && !isValid && t('wholeNumber', { min: 1, max: formatNumber(MOST) })}
        data-autofocus
      />
    </FormDialog>
  );
}
