import { Fieldset, Text } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { GroupedChoice } from '../../ui/forms/GroupedChoice.tsx';
import type { Endpoint } from './queries.ts';

interface Props {
  all: readonly Endpoint[];
  chosen: readonly Endpoint[];
  onChange: (chosen: Endpoint[]) => void;
  error?: string;
}

/** Endpoint checkboxes grouped by noun, each group with a checkbox for all. */
export function EndpointChoice({ error, ...choice }: Props) {
  const { t } = useTranslation('apiKeys');
  const errorId = useId();
  return (
    <Fieldset
      legend={t('column.endpoints')}
      aria-describedby={error ? errorId : undefined}
      data-invalid={Boolean(error)}
    >
      <GroupedChoice
        {...choice}
        nounLabel={(noun) => t(`noun.${noun}`)}
        allOf={(noun) => t('form.allOf', { noun })}
        label={(endpoint) => String(t(`endpoint.${endpoint}`))}
      />
      {error && (
        <Text id={errorId} size="xs" c="var(--mantine-color-error)" mt="xs">
          {error}
        </Text>
      )}
    </Fieldset>
  );
}
