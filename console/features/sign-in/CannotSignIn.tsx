import { Anchor, Code, Collapse, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Explains what to do without a password, with a forgotten one, or after losing the second factor. */
export function CannotSignIn() {
  const { t } = useTranslation('signIn');
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Anchor
        component="button"
        type="button"
        size="sm"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t('help.open')}
      </Anchor>
      <Collapse expanded={isOpen}>
        <Stack gap={6} mt="xs">
          <Text size="sm">{t('help.ask')}</Text>
          <Text size="sm">{t('help.owner')}</Text>
          <Code block>latchkey user reset EMAIL</Code>
          <Text size="sm">{t('help.link')}</Text>
        </Stack>
      </Collapse>
    </div>
  );
}
