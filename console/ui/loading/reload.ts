const RELOADED = 'latchkey-reloaded';
/** Milliseconds within which the window reloads at most once. */
const RELOADED_MS = 60_000;

/** Whether the server serves this page. */
export const isServed = (): Promise<boolean> =>
  fetch(window.location.href, { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Call this if a chunk cannot be loaded. Reloads the window if the server answers: usually the server was upgraded, and the
 * reload gets the new page.
 */
export async function reloadOnce(): Promise<void> {
  const last = Number(sessionStorage.getItem(RELOADED));
  if (Date.now() - last < RELOADED_MS || !(await isServed())) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  window.location.reload();
}
