import type { en } from '../en/index.ts';

export const apiKeys: typeof en.apiKeys = {
  title: 'API-Schlüssel',
};
