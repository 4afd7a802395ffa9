// Before anything is painted, so that a dark page does not begin white. The key is that of app/theme.ts.
(() => {
  let scheme = null;
  try {
    scheme = localStorage.getItem('latchkey-color-scheme');
  } catch {
    // Without storage the system decides.
  }
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme);
})();
