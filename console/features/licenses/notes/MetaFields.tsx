import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { MetaRow } from './queries.ts';

/** The server's limit for the number of rows. */
const MOST = 100;

interface Props {
  value?: MetaRow[];
  onChange: (value: MetaRow[]) => void;
  error?: ReactNode;
}

/** Edits metadata as rows of a name and a value. */
export function MetaFields({ value = [], onChange, error }: Props) {
  const { t } = useTranslation('notes');
  const id = useId();
  const set = (at: number, change: Partial<MetaRow>) =>
    onChange(value.map((one, i) => (i === at ? { ...one, ...change } : one)));
  return (
    <Input.Wrapper
      label={t('meta')}
      labelElement="div"
      labelProps={{ id }}
      description={t('metaHint')}
      error={error}
    >
      <Stack gap="xs" mt="xs" role="group" aria-labelledby={id}>
        {value.map((row, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity except their index
          <Group key={i} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              w="35%"
              aria-label={t('metaName', { at: i + 1 })}
              placeholder={t('name')}
              maxLength={255}
              value={row.name}
              onChange={({ currentTarget }) => set(i, { name: currentTarget.value })}
            />
            <TextInput
              style={{ flexGrow: 1, minWidth: 0 }}
              aria-label={t('metaValue', { at: i + 1 })}
              placeholder={t('value')}
              value={row.value ?? ''}
              onChange={({ currentTarget }) => set(i, { value: currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={t('metaRemove', { at: i + 1 })}
              onClick={() => onChange(value.filter((_, at) => at !== i))}
            >
              <X size={16} />
            </ActionIcon>
          </Group>
        ))}
        {value.length < MOST && (
          <Button
            variant="default"
            size="xs"
            leftSection={<Plus size={14} />}
            onClick={() => onChange([...value, { name: '', value: '' }])}
            style={{ alignSelf: 'flex-start' }}
          >
            {t('metaAdd')}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
