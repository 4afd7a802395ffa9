import type { en } from '../en/index.ts';

export const users: typeof en.users = {
  title: 'Benutzer',
};
