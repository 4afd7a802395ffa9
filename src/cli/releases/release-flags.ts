import { flag, optional, text } from '../../domain/fields.ts';
import { fileName as fileNameField, releaseShape } from '../../domain/release.ts';
import type { Meanings } from '../flags.ts';
import { NAME_MEANINGS, nameShape } from './named.ts';

const { version, channel, upgradeNotice, rollout, status } = releaseShape;
const path = optional(text({ min: 1, max: 4_096 }));
const fileName = optional(fileNameField);

export const publishShape = {
  ...nameShape,
  channel,
  changelog: path,
  upgradeNotice,
  rollout,
  draft: optional(flag),
  fileName,
};
const FILE_NAME = 'What downloads of the file are called (default: as it is called here)';
const MEANINGS = {
  channel: ['name', 'stable, rc, beta or alpha (default: stable)'],
  changelog: ['file', 'A file whose text tells what has changed; - for standard input'],
  upgradeNotice: ['text', 'What people should know before they update'],
  rollout: ['percentage', 'Offer it to so many of the activations, 0 to 100 (default: 100)'],
} as const;
export const PUBLISH_MEANINGS: Meanings<typeof publishShape> = {
  ...NAME_MEANINGS,
  ...MEANINGS,
  draft: ['', 'Keep it back; only a draft may do without a file'],
  fileName: ['name', FILE_NAME],
};

export const changeShape = {
  newVersion: optional(version.field, { clearable: false }),
  status,
  channel,
  changelog: path,
  upgradeNotice,
  rollout,
};
export const CHANGE_MEANINGS: Meanings<typeof changeShape> = {
  newVersion: ['version', 'Another version for it'],
  status: ['name', 'published, draft or yanked'],
  ...MEANINGS,
};
export const fileNameShape = { fileName };
export const FILE_NAME_MEANINGS: Meanings<typeof fileNameShape> = { fileName: ['name', FILE_NAME] };
