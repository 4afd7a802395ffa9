import i18next, { type FormatterModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { en } from '../messages/en/index.ts';
import { formatNumber } from './format.ts';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const STORED = 'latchkey-language';
type Texts = Partial<typeof en>;
/** The texts of the first pages, and the texts of all other pages. */
const TEXTS: Record<Language, Record<'first' | 'later', () => Promise<Texts>>> = {
  en: {
    first: () => import('../messages/first/en.ts'),
    later: () => import('../messages/later/en.ts'),
  },
  de: {
    first: () => import('../messages/first/de.ts'),
    later: () => import('../messages/later/de.ts'),
  },
};

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    fallbackNS: 'common';
    resources: typeof en;
  }
}

const isLanguage = (text: string | null | undefined): text is Language => text != null && text in LANGUAGES;

/** The language chosen in this browser, else the first supported browser language, else English. */
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

/** Whether a page or part that needs the later texts was opened. */
let needsLater = false;

async function add(language: Language, which: 'first' | 'later'): Promise<void> {
  const texts = await TEXTS[language][which]();
  for (const [noun, some] of Object.entries(texts)) i18next.addResourceBundle(language, noun, some);
}

/** Switches to a language. Fetches only the texts that are needed. */
async function show(language: Language): Promise<void> {
  await add(language, 'first');
  if (needsLater) await add(language, 'later');
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

/** Fetches the texts that the first pages do not need. @throws if the server does not answer */
export async function loadLaterTexts(): Promise<void> {
  needsLater = true;
  await starting;
  let language: string;
  do {
    language = i18next.language;
    await add(language as Language, 'later');
    // The user may have chosen another language meanwhile.
  } while (language !== i18next.language);
}

/** Formats counts in the user's locale; IDs stay unformatted. */
const counts: FormatterModule = {
  type: 'formatter',
  init() {},
  add() {},
  addCached() {},
  format: (value, _format, _language, options) =>
    options?.interpolationkey === 'count' && typeof value === 'number' ? formatNumber(value) : value,
};

let starting: Promise<void> | undefined;

/** Shows the preferred language. @throws if the server does not answer */
export const startLanguage = (): Promise<void> => (starting ??= start());

async function start(): Promise<void> {
  await i18next
    .use(initReactI18next)
    .use(counts)
    .init({
      resources: {},
      fallbackLng: false,
      defaultNS: 'common',
      fallbackNS: 'common',
      interpolation: {
        escapeValue: false,
        alwaysFormat: true,
      },
    });
  await show(preferred());
}

export async function chooseLanguage(language: Language): Promise<void> {
  try {
    localStorage.setItem(STORED, language);
  } catch {
    // Without storage, the choice lasts for this visit.
  }
  await show(language);
}

/** Translations of settings: meanings by variable, defaults by the server's English text. */
export type SettingTexts = Record<'meanings' | 'defaults', Readonly<Record<string, string>>>;

/** The translated meanings and defaults of settings. Empty for English, because the server sends English. */
export async function settingTexts(language: string): Promise<SettingTexts> {
  if (language !== 'de') return { meanings: {}, defaults: {} };
  const german = await import('../messages/de/setting-meanings.ts');
  return { meanings: german.settingMeanings, defaults: german.settingDefaults };
}
