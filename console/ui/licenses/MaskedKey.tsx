import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../CopyButton.tsx';
import { errorToast } from '../feedback/toasts.tsx';

interface Props {
  /** Whole, or with only its end to be seen. */
  value: string;
  isMasked: boolean;
  /** Fetches the whole key, which is recorded; absent where the reader may not. */
  onReveal?: () => Promise<string>;
}

/** A license key, with a button that shows the whole of it where it is masked, and one that copies it. */
export function MaskedKey({ value, isMasked, onReveal }: Props) {
  const { t } = useTranslation();
  const [revealed, setRevealed] = useState<string | null>(null);
  const reveal = useMutation({
    mutationFn: async () => onReveal?.() ?? null,
    onSuccess: setRevealed,
    onError: errorToast,
  });
  const isShown = !isMasked || revealed !== null;
  const label = revealed === null ? t('key.reveal') : t('key.hide');
  return (
    <Group gap={4} wrap="nowrap">
      <Text ff="monospace" size="sm" span style={{ overflowWrap: 'anywhere' }}>
        {revealed ?? value}
      </Text>
      {isMasked && onReveal && (
        <Tooltip label={label}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={label}
            loading={reveal.isPending}
            onClick={() => (revealed === null ? reveal.mutate() : setRevealed(null))}
          >
            {revealed === null ? <Eye size={16} aria-hidden /> : <EyeOff size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
      {isShown && <CopyButton value={revealed ?? value} label={t('key.copy')} />}
    </Group>
  );
}
