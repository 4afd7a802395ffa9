import type { en } from '../en/index.ts';

export const imports: typeof en.imports = {
  title: 'Import',
};
