/** The style sheet and the script of the page. They are strings, because a bundle has no files beside it. */

export const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1c2024, #edeef0); --faint: light-dark(#60646c, #b0b4ba);
  --page: light-dark(#fff, #111113); --raised: light-dark(#f6f7f9, #1b1c1f); --line: light-dark(#dfe2e6, #34373c);
  --link: light-dark(#0b5cad, #70b8ff); --read: light-dark(#1a6b3c, #5bd18d); --write: light-dark(#8a4b00, #ffb366);
  --delete: light-dark(#b3261e, #ff9592); }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.55 system-ui, sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
header { position: sticky; top: 0; z-index: 1; display: flex; align-items: center; gap: .75rem; padding: .6rem 1.25rem;
  background: var(--page); border-bottom: 1px solid var(--line); }
header a { margin-left: auto; }
.skip:not(:focus) { position: absolute; left: -100vw; }
nav { position: fixed; top: 3rem; bottom: 0; width: 17rem; overflow-y: auto; padding: 1rem 1.25rem 3rem; }
nav a { display: block; padding: .2rem 0; color: var(--text); text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav .group { margin-top: 1rem; font-weight: 600; }
main { margin-left: 17rem; padding: 1rem 2rem 6rem; max-width: 92rem; }
h1, h2, h3, h4 { line-height: 1.25; }
h2 { margin: 2.5rem 0 .5rem; }
h3 { margin: 0 0 .5rem; font-size: 1.2rem; }
h4 { margin: 1.5rem 0 .4rem; }
small { color: var(--faint); }
code, pre, textarea { font: 13px/1.5 ui-monospace, "Cascadia Code", Menlo, Consolas, monospace; }
:not(pre) > code { overflow-wrap: anywhere; }
pre { margin: 0; padding: .8rem 1rem; overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
.guide { max-width: 48rem; }
.guide pre { margin: 1rem 0; }
.table { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem .75rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--faint); }
td:first-child { min-width: 11.5rem; }
section[id^=record-] { margin-top: 2rem; }
td small { display: block; }
td em { font-style: normal; color: var(--faint); }
#common-errors, #credentials { max-width: 48rem; margin-top: 2.5rem; }
.operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 2.5rem; margin-top: 2rem; padding-top: 2rem;
  border-top: 1px solid var(--line); }
.examples { position: sticky; top: 4rem; align-self: start; max-height: calc(100vh - 5rem); overflow-y: auto; padding: 2px; }
.address code { font-size: 14px; }
[data-method=GET] { --method: var(--read); } [data-method=DELETE] { --method: var(--delete); }
b[data-method] { color: var(--method, var(--write)); }
figure { margin: 0 0 .75rem; }
figcaption { color: var(--faint); }
.tabs { display: flex; gap: .25rem; margin-bottom: .4rem; }
button { padding: .3rem .7rem; font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
  cursor: pointer; }
button[aria-pressed=true] { color: var(--page); background: var(--text); border-color: var(--text); }
.tabs .copy { margin-left: auto; }
html[data-language] figcaption { display: none; }
html[data-language=curl] figure:not([data-language=curl]), html[data-language=JavaScript] figure:not([data-language=JavaScript]),
html[data-language=Python] figure:not([data-language=Python]), html[data-language=PHP] figure:not([data-language=PHP]) { display: none; }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--link); }
details pre { margin-top: .4rem; }
label { display: block; margin: .5rem 0; color: var(--faint); }
input, textarea { display: block; width: 100%; padding: .4rem .6rem; color: var(--text); background: var(--page);
  border: 1px solid light-dark(#8b8d98, #777b84); border-radius: 6px; }
input { font: inherit; }
output { display: block; margin-top: .75rem; }
#menu { display: none; }
@media (max-width: 75rem) { .operation { display: block; } .examples { position: static; max-height: none; margin-top: 1.5rem; } }
@media (max-width: 50rem) {
  header small { display: none; }
  nav { position: static; width: auto; }
  main { margin: 0; padding: 1rem 1rem 4rem; }
  td:first-child { min-width: 7rem; }
  html[data-language] #menu { display: block; }
  html[data-language] nav { position: fixed; top: 3.2rem; left: 0; right: 0; z-index: 1; background: var(--page); }
  html[data-language] nav:not(.open) { display: none; }
}
@media print { nav, header, .try { display: none; } main { margin: 0; } .operation { display: block; } }
`;

export const SCRIPT = `
const root = document.documentElement;
const { origin } = location;
const apiRoot = document.body.dataset.root;
document.querySelector('#origin').textContent = origin;

const LANGUAGES = ['curl', 'JavaScript', 'Python', 'PHP'];
function choose(language) {
  root.dataset.language = language;
  for (const button of document.querySelectorAll('.tabs [data-of]'))
    button.ariaPressed = String(button.dataset.of === language);
}
function button(text, press) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  made.addEventListener('click', press);
  return made;
}
for (const samples of document.querySelectorAll('.samples')) {
  const tabs = document.createElement('div');
  tabs.className = 'tabs';
  tabs.role = 'group';
  tabs.ariaLabel = 'Language';
  for (const language of LANGUAGES) {
    const tab = button(language, () => choose(language));
    tab.dataset.of = language;
    tabs.append(tab);
  }
  if (navigator.clipboard) {
    const copy = button('Copy', async () => {
      await navigator.clipboard.writeText(samples.querySelector('[data-language="' + root.dataset.language + '"] code').textContent);
      copy.textContent = 'Copied';
      setTimeout(() => { copy.textContent = 'Copy'; }, 2000);
    });
    copy.className = 'copy';
    tabs.append(copy);
  }
  samples.prepend(tabs);
}
choose('curl');

const menu = document.querySelector('#menu');
const contents = document.querySelector('#contents');
function show(isOpen) {
  contents.classList.toggle('open', isOpen);
  menu.ariaExpanded = String(isOpen);
}
menu.addEventListener('click', () => show(menu.ariaExpanded !== 'true'));
contents.addEventListener('click', ({ target }) => { if (target.closest('a')) show(false); });
document.addEventListener('keydown', ({ key }) => { if (key === 'Escape' && menu.ariaExpanded === 'true') { show(false); menu.focus(); } });

const credentials = document.querySelector('#credentials');
credentials.addEventListener('submit', (event) => event.preventDefault());

/** What a form of "Try it" says: the address and the rest of the request. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const { name, value, dataset } of form.querySelectorAll('[data-in]')) {
    if (dataset.in === 'path') {
      if (value === '') throw new Error(name + ' is missing.');
      path = path.replace('{' + name + '}', encodeURIComponent(value));
    } else if (dataset.in === 'token') headers.Authorization = 'Bearer ' + value;
    else if (dataset.in === 'header') {
      if (value !== '') headers[name] = value;
    } else if (value !== '' && 'json' in dataset) {
      for (const [key, one] of Object.entries(parsed(name, value))) query.append(name + '[' + key + ']', one);
    } else if (value !== '') query.append(name, value);
  }
  const { key, secret } = credentials.elements;
  const bytes = new TextEncoder().encode(key.value + ':' + secret.value);
  if (!form.dataset.root) headers.Authorization = 'Basic ' + btoa(String.fromCharCode(...bytes));
  const init = { method: form.dataset.method, headers, cache: 'no-store' };
  const body = form.querySelector('textarea');
  const file = form.querySelector('[type=file]');
  const values = body && parsed('The body', body.value);
  if (file?.files.length > 0) {
    init.body = new FormData();
    for (const [name, value] of Object.entries(values)) init.body.append(name, value);
    init.body.append('file', file.files[0]);
  } else if (body) {
    headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(values);
  }
  return [origin + (form.dataset.root ?? apiRoot) + path + (query.size > 0 ? '?' + query : ''), init];
}
function parsed(name, text) {
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  throw new Error(name + ' must be a JSON object.');
}
async function answerOf(response) {
  const headers = ['link', 'x-wp-total', 'retry-after', 'x-request-id']
    .filter((name) => response.headers.has(name)).map((name) => name + ': ' + response.headers.get(name));
  const isJson = response.headers.get('content-type')?.includes('json');
  const body = isJson ? JSON.stringify(await response.json(), null, 2) : (await response.blob()).size + ' bytes';
  return [response.status + ' ' + response.statusText, ...headers, '', body].join('\\n');
}
for (const form of document.querySelectorAll('.try form')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const shown = document.createElement('pre');
    shown.tabIndex = 0;
    try {
      const [address, init] = requestOf(form);
      shown.textContent = init.method + ' ' + address + '\\n' + (await answerOf(await fetch(address, init)));
    } catch (error) {
      shown.textContent = error.message;
    }
    form.querySelector('output').replaceChildren(shown);
  });
}
`;
