import type { en } from '../en/index.ts';

export const dashboard: typeof en.dashboard = {
  title: 'Übersicht',
};
