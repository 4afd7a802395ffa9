import { ActionIcon, Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { EXACT_TEXT } from '../../ui/forms/exact-text.ts';
import type { Header } from './endpoint-values.ts';

interface Props {
  /** The names of the endpoint's stored headers. */
  present: readonly string[];
  /** The new headers; null keeps the stored ones. */
  headers: readonly Header[] | null;
  onChange: (headers: Header[] | null) => void;
  error: ReactNode;
}

const NONE: Header = { name: '', value: '' };

/** Edits the custom headers. Stored headers can only be replaced, because their values are hidden. */
export function HeaderFields({ present, headers, onChange, error }: Props) {
  const { t } = useTranslation('events');
  const helpId = useId();
  const rows = headers ?? [];
  const change = (at: number, changes: Partial<Header>) =>
    onChange(rows.map((row, i) => (i === at ? { ...row, ...changes } : row)));
  return (
    <Fieldset legend={t('headers.legend')} aria-describedby={helpId} data-invalid={Boolean(error)}>
      <Stack gap="xs">
        <Text size="xs" c="dimmed" id={helpId} style={{ overflowWrap: 'anywhere' }}>
          {headers === null ? t('headers.kept', { names: present.join(', ') }) : t('headers.help')}
        </Text>
        {rows.map(({ name, value }, at) => {
          const number = at + 1;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            <Group key={at} gap="xs" wrap="nowrap" align="flex-end">
              <TextInput
                aria-label={t('headers.name', { number })}
                placeholder="Authorization"
                {...EXACT_TEXT}
                maxLength={100}
                value={name}
                onChange={(event) => change(at, { name: event.currentTarget.value })}
                style={{ flex: 2 }}
              />
              <TextInput
                aria-label={t('headers.value', { number })}
                placeholder="Bearer …"
                {...EXACT_TEXT}
                maxLength={2_048}
                value={value}
                onChange={(event) => change(at, { value: event.currentTarget.value })}
                style={{ flex: 3 }}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={t('headers.remove', { number })}
                onClick={() => onChange(rows.filter((_, i) => i !== at))}
              >
                <X size={16} />
              </ActionIcon>
            </Group>
          );
        })}
        {error && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        )}
        <Group gap="xs">
          {headers === null ? (
            <Button size="compact-sm" variant="default" onClick={() => onChange([NONE])}>
              {t('headers.replace')}
            </Button>
          ) : (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<Plus size={14} />}
              onClick={() => onChange([...rows, NONE])}
            >
              {t('headers.add')}
            </Button>
          )}
          {headers !== null && present.length > 0 && (
            <Button size="compact-sm" variant="subtle" onClick={() => onChange(null)}>
              {t('headers.keep')}
            </Button>
          )}
        </Group>
      </Stack>
    </Fieldset>
  );
}
