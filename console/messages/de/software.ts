import type { en } from '../en/index.ts';

export const software: typeof en.software = {
  title: 'Software',
};
