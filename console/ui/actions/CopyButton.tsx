import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { announce } from '../feedback/announce.tsx';
import { IconAction } from './IconAction.tsx';

interface Props {
  value: string;
  /** The accessible name: "Copy license key". */
  label: string;
  /** Shows a text button instead of an icon. */
  withText?: boolean;
}

export function CopyButton({ value, label, withText = false }: Props) {
  const { t } = useTranslation();
  const clipboard = useClipboard({ timeout: 2000 });
  const text = clipboard.copied ? t('copied') : label;
  const Icon = clipboard.copied ? Check : Copy;
  const onClick = () => {
    clipboard.copy(value);
    announce(t('copied'));
  };
  if (withText)
    return (
      <Button variant="default" onClick={onClick} leftSection={<Icon size={16} />}>
        {text}
      </Button>
    );
  return <IconAction tip={text} label={label} icon={Icon} onClick={onClick} />;
}
