import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { en } from '../messages/en/index.ts';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const STORED = 'latchkey-language';
const LOAD: Record<Language, () => Promise<typeof en>> = {
  en: async () => (await import('../messages/en/index.ts')).en,
  de: async () => (await import('../messages/de/index.ts')).de,
};

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: typeof en;
  }
}

const isLanguage = (text: string | null | undefined): text is Language => text != null && text in LANGUAGES;

/** The one that was chosen here, else the first of the browser's that we have, else English. */
function preferred(): Language {
  const stored = read();
  if (isLanguage(stored)) return stored;
  const ours = navigator.languages.map((tag) => tag.split('-')[0]);
  return ours.find(isLanguage) ?? 'en';
}

function read(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

/** Only the texts of one language are fetched. */
async function show(language: Language): Promise<void> {
  const messages = await LOAD[language]();
  for (const [noun, texts] of Object.entries(messages)) i18next.addResourceBundle(language, noun, texts);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

export async function startLanguage(): Promise<void> {
  await i18next.use(initReactI18next).init({
    resources: {},
    fallbackLng: false,
    defaultNS: 'common',
    interpolation: { escapeValue: false },
  });
  await show(preferred());
}

export async function chooseLanguage(language: Language): Promise<void> {
  try {
    localStorage.setItem(STORED, language);
  } catch {
    // Without storage it is chosen for this visit.
  }
  await show(language);
}
