/** What doctor says of one thing that it has looked at. */
export interface Check {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it; null where there is nothing to do. */
  advice: string | null;
}

const report =
  (status: Check['status']) =>
  (name: string, message: string, advice: string | null = null): Check => ({
    name,
    status,
    message,
    advice,
  });
export const ok = report('ok');
export const warn = report('warn');
export const fail = report('fail');
