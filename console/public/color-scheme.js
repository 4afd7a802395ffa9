// Runs before the first paint, so that a dark page does not flash white. app/theme.ts uses the same storage key.
(() => {
  let scheme = null;
  try {
    scheme = localStorage.getItem('latchkey-color-scheme');
  } catch {
    // Without storage, follow the system.
  }
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
