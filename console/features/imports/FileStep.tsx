import { Button, Group, List, Stack, VisuallyHidden } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FileDrop } from '../../ui/forms/FileDrop.tsx';
import { saveText } from '../../ui/forms/save.ts';

/** The server's limit, in bytes. */
const FILE_MAX = 50 * 1024 ** 2;
const SAMPLE = [
  'license_key,status,activations_limit,valid_for,expires_at,product_id,order_id,user_id,customer_email',
  'ACME-7KQ2M-X9D4R,sold,3,365,,7,1001,42,ada@example.com',
  'ACME-PLW3H-5TRV8,active,0,,2031-12-31,7,,,',
  'ACME-9GJ4N-HB6ZC,inactive,1,,,,,,',
  '',
].join('\r\n');

interface Props {
  file: File | null;
  isBusy: boolean;
  onNext: (file: File) => void;
}

export function FileStep({ file: before, isBusy, onNext }: Props) {
  const { t } = useTranslation('imports');
  const [file, setFile] = useState(before);
  const choose = (chosen: File | null) => {
    setFile(chosen);
    if (chosen) onNext(chosen);
  };
  return (
    <Stack>
      <FileDrop
        label={t('file.label')}
        hint={t('file.hint')}
        file={file}
        onFile={choose}
        maxSize={FILE_MAX}
        accept={{ 'text/csv': ['.csv', '.txt', '.tsv'] }}
        isDisabled={isBusy}
      />
      <List size="sm" c="dimmed">
        <List.Item>{t('file.first')}</List.Item>
        <List.Item>{t('file.encoding')}</List.Item>
        <List.Item>{t('file.nothing')}</List.Item>
      </List>
      <Group justify="space-between">
        <Button
          variant="default"
          leftSection={<Download size={16} />}
          onClick={() => saveText('licenses-sample.csv', SAMPLE, 'text/csv')}
        >
          {t('file.sample')}
        </Button>
        <Button disabled={!file} loading={isBusy} onClick={() => file && onNext(file)}>
          {t('next')}
        </Button>
      </Group>
      <VisuallyHidden>{t('file.keyboard')}</VisuallyHidden>
    </Stack>
  );
}
