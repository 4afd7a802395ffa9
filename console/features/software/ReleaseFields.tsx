import { Input, Slider, Textarea } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../ui/format.ts';
import { Select } from '../../ui/forms/choices.tsx';
import { CHANNELS } from './queries.ts';

interface Props {
  /** From a form that has these fields. */
  inputProps: (name: 'channel' | 'rollout' | 'changelog' | 'upgrade_notice') => GetInputPropsReturnType;
  /** Called when the user chooses a channel. */
  onChannel?: () => void;
}

const percent = (value: number): string => formatNumber(value / 100, { style: 'percent' });

/** The fields of a release that can still be changed after it was created. */
export function ReleaseFields({ inputProps, onChannel }: Props) {
  const { t } = useTranslation('software');
  const id = useId();
  const rollout = inputProps('rollout');
  return (
    <>
      <Select
        label={t('column.channel')}
        description={t('field.channelHint')}
        allowDeselect={false}
        data={CHANNELS.map((value) => ({ value, label: t(`channel.${value}`) }))}
        // In a form without a field for the file, which would be above.
        data-autofocus
        {...inputProps('channel')}
        onOptionSubmit={onChannel}
      />
      <Input.Wrapper
        label={t('field.rollout', { percent: percent(rollout.value) })}
        labelElement="div"
        labelProps={{ id }}
        description={t('field.rolloutHint')}
        error={rollout.error}
      >
        <Slider
          mt="xs"
          mb="lg"
          min={0}
          max={100}
          step={1}
          thumbProps={{ 'aria-labelledby': id }}
          label={null}
          marks={[0, 25, 50, 75, 100].map((value) => ({ value, label: percent(value) }))}
          styles={{ root: { marginInline: 16 } }}
          value={rollout.value}
          onChange={rollout.onChange}
        />
      </Input.Wrapper>
      <Textarea
        label={t('field.changelog')}
        description={t('field.changelogHint')}
        autosize
        minRows={4}
        maxRows={16}
        {...inputProps('changelog')}
      />
      <Textarea
        label={t('field.notice')}
        description={t('field.noticeHint')}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={1_000}
        {...inputProps('upgrade_notice')}
      />
    </>
  );
}
