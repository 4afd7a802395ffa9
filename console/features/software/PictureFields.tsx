import { ActionIcon, Autocomplete, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Picture } from './queries.ts';

/** The server's limit for the number of images. */
const MOST = 16;

interface Props {
  label: string;
  hint: string;
  /** Suggested names. */
  names: readonly string[];
  value?: Picture[];
  onChange: (value: Picture[]) => void;
  error?: ReactNode;
}

/** Edits image URLs, each with a name. */
export function PictureFields({ label, hint, names, value = [], onChange, error }: Props) {
  const { t } = useTranslation('software');
  const id = useId();
  const set = (at: number, change: Partial<Picture>) =>
    onChange(value.map((one, i) => (i === at ? { ...one, ...change } : one)));
  const used = new Set(value.map(({ name }) => name));
  const add = () => onChange([...value, { name: names.find((name) => !used.has(name)) ?? '', url: '' }]);
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id }}
      description={hint}
      error={error}
      data-invalid={Boolean(error)}
    >
      <Stack gap="xs" mt="xs" role="group" aria-labelledby={id}>
        {value.map(({ name, url }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity except their index
          <Group key={i} gap="xs" wrap="nowrap" align="flex-start">
            <Autocomplete
              w={96}
              style={{ flexShrink: 0 }}
              aria-label={t('pictures.name', { label, at: i + 1 })}
              data={[...names]}
              maxLength={32}
              value={name}
              onChange={(typed) => set(i, { name: typed })}
            />
            <TextInput
              style={{ flexGrow: 1, minWidth: 0 }}
              aria-label={t('pictures.url', { label, at: i + 1 })}
              type="url"
              placeholder="https://"
              value={url}
              onChange={({ currentTarget }) => set(i, { url: currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={t('pictures.remove', { label, at: i + 1 })}
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
            onClick={add}
            style={{ alignSelf: 'flex-start' }}
          >
            {t('pictures.add', { label })}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

/** Whether a name occurs twice: one image would overwrite the other. */
export const hasTwice = (pictures: readonly Picture[]): boolean =>
  new Set(pictures.map(({ name }) => name.trim())).size < pictures.length;
