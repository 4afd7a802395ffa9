import type { en } from '../en/index.ts';

export const settings: typeof en.settings = {
  title: 'Einstellungen',
};
