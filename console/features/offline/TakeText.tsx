import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { Camera } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EXACT_TEXT } from '../../ui/forms/exact-text.ts';
import { FileDrop } from '../../ui/forms/FileDrop.tsx';
import { readTextOf } from './read-qr.ts';
import { ScanDialog } from './ScanDialog.tsx';

/** The largest file to read, in bytes: it may be a photo of a screen. */
const FILE_MAX = 20 * 1024 ** 2;

interface Props {
  /** The error in the last text; null if there is none. */
  fault: string | null;
  isBusy: boolean;
  onText: (text: string) => void;
}

/** Takes a request or a receipt: pasted, from a file, or through the camera. */
export function TakeText({ fault, isBusy, onText }: Props) {
  const { t } = useTranslation('offline');
  const [isScanning, setScanning] = useState(false);
  const [text, setText] = useState('');
  const [fileFault, setFileFault] = useState<string | null>(null);
  const take = (found: string) => {
    setText(found);
    onText(found);
  };
  const takeFile = async (file: File | null) => {
    setFileFault(null);
    if (!file) return;
    const found = await readTextOf(file);
    if (found === null) setFileFault(t('take.unreadable'));
    else take(found);
  };
  return (
    <Stack>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') onText(text);
        }}
      >
        <Stack>
          <Textarea
            label={t('take.paste')}
            description={t('take.pasteHint')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={fault}
            autosize
            minRows={4}
            maxRows={10}
            {...EXACT_TEXT}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', wordBreak: 'break-all' } }}
          />
          <Group>
            <Button type="submit" loading={isBusy} disabled={text.trim() === ''}>
              {t('take.next')}
            </Button>
            <Button
              variant="default"
              leftSection={<Camera size={16} />}
              onClick={() => setScanning(true)}
              disabled={isBusy}
            >
              {t('take.scan')}
            </Button>
          </Group>
        </Stack>
      </form>
      <FileDrop
        label={t('take.file')}
        hint={t('take.fileHint')}
        file={null}
        onFile={(file) => void takeFile(file)}
        maxSize={FILE_MAX}
        error={fileFault}
        isDisabled={isBusy}
      />
      <Text size="sm" c="dimmed">
        {t('take.nothing')}
      </Text>
      {isScanning && (
        <ScanDialog
          onClose={() => setScanning(false)}
          onText={(found) => {
            setScanning(false);
            take(found);
          }}
        />
      )}
    </Stack>
  );
}
