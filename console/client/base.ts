const meta = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

/** The path of LATCHKEY_BASE_URL: '' or '/licensing'. */
export const BASE_PATH = meta('latchkey-base');
export const CONSOLE_ROOT = `${BASE_PATH}/console`;
export const API_ROOT = `${CONSOLE_ROOT}/api`;

/** The nonce that the content security policy requires of style elements; '' in development. */
export const STYLE_NONCE = meta('latchkey-nonce');
