import { queryOptions } from '@tanstack/react-query';
import { type Answer, answer, api } from '../../client/api.ts';
import { settingTexts } from '../../ui/language.ts';

export type Installation = Answer<'getSettings'>;
export type Setting = Installation['settings'][number];

/** Translated meanings and defaults of settings. */
export const translationsQuery = (language: string) =>
  queryOptions({
    queryKey: ['setting-translations', language],
    queryFn: () => settingTexts(language),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => answer(api.GET('/settings', { signal })),
});
