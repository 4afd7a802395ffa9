import { Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldErrors, isOfFields } from '../../client/errors.ts';
import { doneToast } from '../../ui/feedback/toasts.tsx';
import { EXACT_TEXT } from '../../ui/forms/exact-text.ts';
import { FileDrop } from '../../ui/forms/FileDrop.tsx';
import { publishedText } from './published-text.ts';
import { CHANNELS, type Channel, FILE_MAX, type Software } from './queries.ts';
import { ReleaseFields } from './ReleaseFields.tsx';
import { UploadDrawer } from './UploadDrawer.tsx';
import { useUpload } from './use-upload.ts';

const START = {
  file: null as File | null,
  version: '',
  channel: 'stable' as Channel,
  rollout: 100,
  changelog: '',
  upgrade_notice: '',
  isDraft: false,
};

/** "1.4.0", "2.0.0-rc.1" or "2.0rc1", but not the platform after it. */
const VERSION =
  /\d+(?:\.\d+)+(?:[-.]?(?:alpha|beta|rc|dev|preview|pre|canary|nightly|[abm](?=\d))(?:[.-]?\d+)?(?:\.\d+)*)?(?![a-z\d]|\.\d)/gi;

/** Returns the channel that a version names, as `latchkey release publish` does. */
function channelFor(version: string): Channel {
  const named = /^v?[\d.]+-?(alpha|beta|rc)(?![a-z])/i.exec(version)?.[1]?.toLowerCase();
  return CHANNELS.find((channel) => channel === named) ?? 'stable';
}

/** Publishes a release, or saves it as a draft. */
export function PublishRelease({ software, onClose }: { software: Software; onClose: () => void }) {
  const { t } = useTranslation('software');
  const form = useForm({ mode: 'controlled', initialValues: START });
  /** The version that a file name suggested. */
  const [guessed, setGuessed] = useState('');
  const [hasChosenChannel, setHasChosenChannel] = useState(false);
  const work = useUpload(software.id);
  const { file, version, isDraft } = form.getValues();
  const submit = form.onSubmit(async (values) => {
    if (!values.file && !values.isDraft) return form.setFieldError('file', t('publish.fileMissing'));
    const { file, isDraft, ...details } = values;
    const fields = { ...details, status: isDraft ? 'draft' : 'published' };
    const result = await work.start({ release: null, fields, file });
    const { done: release } = result;
    if (release) {
      onClose();
      doneToast(
        isDraft ? t('publish.drafted', { version: release.version }) : await publishedText(t, release),
      );
    } else form.setErrors(fieldErrors(result.error));
  });
  /** Sets the version, and its channel unless the user has chosen another. */
  const setVersion = (next: string) => {
    form.setFieldValue('version', next);
    if (!hasChosenChannel) form.setFieldValue('channel', channelFor(next));
  };
  const choose = (chosen: File | null) => {
    form.setFieldValue('file', chosen);
    form.clearFieldError('file');
    // Otherwise the 7 of .7z would count as a part of the version.
    const name = chosen?.name.replace(/\.7z$/i, '') ?? '';
    const versions = [...name.matchAll(VERSION)];
    // "php8.1" and "macos11" are platforms, unless there is nothing else.
    const isFree = ({ index }: RegExpExecArray) => !/[a-uw-z]/i.test(name[index - 1] ?? '');
    const found = (versions.find(isFree) ?? versions[0])?.[0] ?? '';
    if (!['', guessed].includes(version)) return;
    setVersion(found);
    setGuessed(found);
  };
  return (
    <UploadDrawer
      title={t('publish.title', { name: software.name })}
      file={file}
      work={work}
      error={isOfFields(work.error, form.getValues()) ? null : work.error}
      action={t(isDraft ? 'publish.save' : 'publish.action')}
      onSubmit={submit}
      onClose={onClose}
    >
      <FileDrop
        label={t('column.file')}
        hint={t('publish.fileHint')}
        file={file}
        onFile={choose}
        maxSize={FILE_MAX}
        error={form.errors.file}
        isDisabled={work.isRunning}
      />
      <TextInput
        label={t('column.version')}
        description={t('field.versionHint')}
        required
        {...EXACT_TEXT}
        {...form.getInputProps('version')}
        onChange={(event) => setVersion(event.currentTarget.value)}
      />
      <ReleaseFields
        inputProps={(name) => form.getInputProps(name)}
        onChannel={() => setHasChosenChannel(true)}
      />
      <Switch
        label={t('publish.draft')}
        description={t('publish.draftHint')}
        {...form.getInputProps('isDraft', { type: 'checkbox' })}
      />
    </UploadDrawer>
  );
}
