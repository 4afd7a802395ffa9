import { Modal, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../../ui/links.tsx';
import type { Software } from './queries.ts';

interface Props {
  isOpen: boolean;
  /** The software on the shown page. */
  software: readonly Software[] | undefined;
  onClose: () => void;
}

/** Asks which software a new release belongs to, if there are several. */
export function ChooseSoftware({ isOpen, software, onClose }: Props) {
  const { t } = useTranslation('software');
  const navigate = useNavigate();
  const only = isOpen && software?.length === 1 ? software[0] : undefined;
  useEffect(() => {
    if (only)
      void navigate({ to: '/software/$id', params: { id: String(only.id) }, search: { publish: 'yes' } });
  }, [only, navigate]);
  return (
    <Modal opened={isOpen && software !== undefined && !only} onClose={onClose} title={t('publish.open')}>
      <Stack gap="xs">
        <Text size="sm">{t(software?.length === 0 ? 'emptyNext' : 'publish.choose')}</Text>
        {software?.map(({ id, name }) => (
          <ButtonLink
            key={id}
            to="/software/$id"
            params={{ id: String(id) }}
            search={{ publish: 'yes' }}
            variant="default"
            justify="start"
          >
            {name}
          </ButtonLink>
        ))}
      </Stack>
    </Modal>
  );
}
