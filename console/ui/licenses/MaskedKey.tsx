import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../CopyButton.tsx';
import { errorToast } from '../feedback/toasts.tsx';

interface Props {
  /** The full key, or the masked one. */
  value: string;
  isMasked: boolean;
  /** Fetches the full key, which the server records; absent if the role may not see it. */
  onReveal?: () => Promise<string>;
}

/** A license key with buttons to show and copy it. */
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
