import type { en } from '../en/index.ts';

export const licenses: typeof en.licenses = {
  title: 'Lizenzen',
};
