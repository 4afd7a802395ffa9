import { Textarea, type TextareaProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export function YankReason(props: TextareaProps) {
  const { t } = useTranslation('software');
  return (
    <Textarea
      label={t('field.yankReason')}
      description={t('field.yankReasonHint')}
      autosize
      minRows={2}
      maxRows={6}
      maxLength={1_000}
      {...props}
    />
  );
}
