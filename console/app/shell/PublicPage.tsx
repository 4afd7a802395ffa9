import { Anchor, Container, Group, Paper, Stack, Text } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { BASE_PATH } from '../../client/base.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../ui/language.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';

interface Props {
  title: string;
  description?: ReactNode;
  children: ReactNode;
}

/** The layout of pages without sign-in: one centered panel. */
export function PublicPage({ title, description, children }: Props) {
  const { i18n } = useTranslation();
  return (
    <Container component="main" size={440} px="md" py={{ base: 24, sm: 72 }}>
      <Group gap="xs" mb="md" justify="center">
        <img src={`${BASE_PATH}/console/icon.svg`} width={32} height={32} alt="" />
        <Text fw={650} size="lg" span>
          Latchkey
        </Text>
      </Group>
      <Paper withBorder p={{ base: 'md', sm: 'xl' }} radius="md" bg="var(--latchkey-panel)">
        <PageHeader title={title} description={description} />
        <Suspense>
          <Stack>{children}</Stack>
        </Suspense>
      </Paper>
      <Group gap="md" mt="md" justify="center">
        {(Object.keys(LANGUAGES) as Language[]).map((language) => (
          <Anchor
            key={language}
            component="button"
            type="button"
            size="sm"
            py={4}
            lang={language}
            aria-pressed={i18n.language === language}
            fw={i18n.language === language ? 700 : undefined}
            onClick={() => void chooseLanguage(language)}
          >
            {LANGUAGES[language]}
          </Anchor>
        ))}
      </Group>
    </Container>
  );
}
