import { SegmentedControl } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../app/session.ts';
import { Select } from '../../../ui/forms/choices.tsx';
import { HINT_BELOW } from '../../../ui/forms/hint-below.ts';
import { KeyField } from './KeyField.tsx';

/** Where the key of a new license comes from: a generator, the user, or a generator that creates many licenses. */
export type Way = 'generated' | 'own' | 'many';

interface Props {
  way: Way;
  onChoose: (way: Way) => void;
  generators: readonly { id: number; name: string }[];
  inputProps: (name: 'license_key' | 'generator_id') => GetInputPropsReturnType;
}

/** Chooses the source of a new license's key. */
export function KeySource({ way, onChoose, generators, inputProps }: Props) {
  const { t } = useTranslation('licenses');
  const { can } = useSession();
  return (
    <>
      <SegmentedControl
        aria-label={t('form.way')}
        fullWidth
        value={way}
        onChange={(chosen) => onChoose(chosen as Way)}
        data={[
          { value: 'generated', label: t('form.generatedKey') },
          { value: 'own', label: t('form.ownKey') },
          ...(can('licenses.generate') ? [{ value: 'many', label: t('form.many') }] : []),
        ]}
      />
      {way === 'own' ? (
        <KeyField inputProps={inputProps('license_key')} />
      ) : (
        <Select
          label={t('form.generator')}
          description={t(way === 'many' ? 'form.manyHint' : 'form.generatedHint')}
          {...HINT_BELOW}
          required
          data={generators.map(({ id, name }) => ({ value: String(id), label: name }))}
          nothingFoundMessage={t('form.noGenerators')}
          searchable
          data-autofocus
          // The focus is no reason to cover the form.
          openOnFocus={false}
          {...inputProps('generator_id')}
        />
      )}
    </>
  );
}
