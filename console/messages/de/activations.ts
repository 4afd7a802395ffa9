import type { en } from '../en/index.ts';

export const activations: typeof en.activations = {
  title: 'Aktivierungen',
};
