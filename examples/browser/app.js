import { indexedDbDeviceKey, indexedDbStorage, Latchkey } from '@latchkey/client';

const latchkey = new Latchkey({
  url: 'https://licenses.example.com',
  roots: ['ROOT-KEY', 'SPARE-ROOT-KEY'],
  storage: indexedDbStorage('acme'),
  deviceKey: indexedDbDeviceKey('acme'),
  onChange: show,
});
const form = document.getElementById('activate');
const signOut = document.getElementById('deactivate');
const message = document.getElementById('message');

function show({ state, reason, until, entitlements }) {
  const isUsable = state === 'licensed' || state === 'grace';
  form.hidden = isUsable;
  signOut.hidden = !isUsable;
  message.textContent = isUsable
    ? `Licensed until ${until.toISOString()}: ${entitlements.join(', ')}`
    : `Not licensed: ${reason}`;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    show(await latchkey.activate(form.elements.key.value, { label: 'Browser' }));
  } catch (error) {
    message.textContent = `${error.message} (${error.code})`;
  }
});
signOut.addEventListener('click', async () => {
  try {
    await latchkey.deactivate();
    show(await latchkey.check());
  } catch (error) {
    message.textContent = `${error.message} (${error.code})`;
  }
});

show(await latchkey.check());
