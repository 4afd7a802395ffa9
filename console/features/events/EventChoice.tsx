import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { AllOrSome } from '../../ui/forms/AllOrSome.tsx';
import { GroupedChoice } from '../../ui/forms/GroupedChoice.tsx';
import type { EventType } from './queries.ts';

interface Props {
  all: readonly EventType[];
  /** Null for all events. */
  chosen: readonly EventType[] | null;
  onChange: (chosen: EventType[] | null) => void;
  error: ReactNode;
}

/** Chooses between all events and some of them, grouped by noun. */
export function EventChoice({ all, onChange, ...rest }: Props) {
  const { t } = useTranslation('events');
  return (
    <AllOrSome legend={t('column.events')} all={t('form.allTypes')} onChange={onChange} {...rest}>
      {(chosen) => (
        <GroupedChoice
          all={all}
          chosen={chosen}
          onChange={onChange}
          nounLabel={(noun) => t(`noun.${noun}`)}
          label={(type) => String(t(`type.${type}`))}
        />
      )}
    </AllOrSome>
  );
}
