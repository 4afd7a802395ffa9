import type { en } from '../en/index.ts';

export const signIn: typeof en.signIn = {
  title: 'Anmelden',
};
