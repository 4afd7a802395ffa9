import { Button, Group, Text, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { EXACT_TEXT } from '../../../ui/forms/exact-text.ts';
import { HINT_BELOW } from '../../../ui/forms/hint-below.ts';

/** Whether a key begins or ends with white space, which nobody sees. */
export const hasOuterSpace = (key: string): boolean => key !== key.trim();

interface Props {
  /** From a controlled form. */
  inputProps: GetInputPropsReturnType;
}

/**
 * A field for a license key. Keys are saved exactly as entered, so the field warns of surrounding white space and offers to
 * remove it.
 */
export function KeyField({ inputProps }: Props) {
  const { t } = useTranslation('licenses');
  const key = String(inputProps.value);
  return (
    <div>
      <TextInput
        label={t('column.key')}
        description={t('form.keyHint')}
        {...HINT_BELOW}
        required
        {...EXACT_TEXT}
        data-autofocus
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...inputProps}
      />
      {hasOuterSpace(key) && key.trim() !== '' && (
        <Group role="alert" gap="xs" mt={6}>
          <Text size="sm" c="light-dark(var(--mantine-color-orange-9), var(--mantine-color-orange-3))">
            {t('form.outerSpace')}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => inputProps.onChange(key.trim())}>
            {t('form.trim')}
          </Button>
        </Group>
      )}
    </div>
  );
}

/** Returns the question to ask before saving a key with surrounding white space. */
export function useKeepsSpace() {
  const { t } = useTranslation('licenses');
  return { title: t('form.keepSpaceTitle'), body: t('form.keepSpaceBody'), action: t('form.keepSpace') };
}
