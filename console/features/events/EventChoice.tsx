import { Checkbox, Fieldset, Stack, Text } from '@mantine/core';
import { useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { GroupedChoice } from '../../ui/forms/GroupedChoice.tsx';
import type { EventType } from './queries.ts';

interface Props {
  all: readonly EventType[];
  /** Null for all events. */
  chosen: readonly EventType[] | null;
  onChange: (chosen: EventType[] | null) => void;
  error: string | undefined;
}

/** Chooses between all events and some of them, grouped by noun. */
export function EventChoice({ all, chosen, onChange, error }: Props) {
  const { t } = useTranslation('events');
  const errorId = useId();
  const last = useRef<EventType[]>([]);
  const change = (isAll: boolean) => {
    if (chosen !== null) last.current = [...chosen];
    onChange(isAll ? null : last.current);
  };
  return (
    <Fieldset
      legend={t('column.events')}
      aria-describedby={error ? errorId : undefined}
      data-invalid={Boolean(error)}
    >
      <Stack gap="sm">
        <Checkbox
          label={t('form.allTypes')}
          checked={chosen === null}
          onChange={(event) => change(event.currentTarget.checked)}
        />
        {chosen !== null && (
          <GroupedChoice
            all={all}
            chosen={chosen}
            onChange={onChange}
            nounLabel={(noun) => t(`noun.${noun}`)}
            allOf={(noun) => t('form.allOf', { noun })}
            label={(type) => String(t(`type.${type}`))}
          />
        )}
        {error && (
          <Text id={errorId} size="xs" c="var(--mantine-color-error)">
            {error}
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
}
