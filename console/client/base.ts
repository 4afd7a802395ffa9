const said = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

/** The path that the server is below, of LATCHKEY_BASE_URL: '' or '/licensing'. */
export const BASE_PATH = said('latchkey-base');
export const CONSOLE_ROOT = `${BASE_PATH}/console`;
export const API_ROOT = `${CONSOLE_ROOT}/api`;

/** What style elements must carry for the page's policy to let them be; '' in development. */
export const STYLE_NONCE = said('latchkey-nonce');
