import type { en } from '../en/index.ts';

export const audit: typeof en.audit = {
  title: 'Änderungsprotokoll',
};
