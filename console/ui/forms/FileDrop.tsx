import '@mantine/dropzone/styles.css';
import { Button, Group, Input, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { FileUp, X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../format.ts';

interface Props {
  label: string;
  hint: string;
  file: File | null;
  onFile: (file: File | null) => void;
  /** The largest accepted file, in bytes. */
  maxSize: number;
  /** File extensions by media type; any file if omitted. */
  accept?: Record<string, string[]>;
  error?: ReactNode;
  isDisabled?: boolean;
}

/** A field for one file, with drag and drop. Import it only in lazily loaded pages: it is large. */
export function FileDrop({ label, hint, file, onFile, maxSize, accept, error, isDisabled }: Props) {
  const { t } = useTranslation('common');
  const id = useId();
  const [rejected, setRejected] = useState<string | null>(null);
  const take = (chosen: File | null, fault: string | null) => {
    setRejected(fault);
    onFile(chosen);
  };
  return (
    <Input.Wrapper label={label} labelElement="div" labelProps={{ id }} error={error ?? rejected}>
      <Dropzone
        mt={4}
        onDrop={([one]) => take(one ?? null, null)}
        onReject={([one]) =>
          take(
            null,
            t((one?.file.size ?? 0) > maxSize ? 'file.tooLarge' : 'file.wrong', {
              most: formatBytes(maxSize),
            }),
          )
        }
        maxSize={maxSize}
        multiple={false}
        disabled={isDisabled ?? false}
        {...(accept && { accept })}
        inputProps={{ 'aria-labelledby': id }}
        data-autofocus
        aria-labelledby={id}
        aria-invalid={Boolean(error ?? rejected)}
      >
        <Group gap="sm" wrap="nowrap" style={{ pointerEvents: 'none', minHeight: 64 }}>
          <FileUp size={28} strokeWidth={1.5} style={{ flexShrink: 0 }} />
          <div style={{ minWidth: 0 }}>
            <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
              {file ? file.name : t('file.drop')}
            </Text>
            <Text size="sm" c="dimmed">
              {file ? formatBytes(file.size) : hint}
            </Text>
          </div>
        </Group>
      </Dropzone>
      {file && !isDisabled && (
        <Button
          mt={4}
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<X size={14} />}
          onClick={() => take(null, null)}
        >
          {t('file.remove')}
        </Button>
      )}
    </Input.Wrapper>
  );
}
