import { hostname } from 'node:os';
import { join } from 'node:path';
import { Latchkey } from '@latchkey/client';
import { electronDeviceKey, electronStorage } from '@latchkey/client/electron';
import { app, BrowserWindow, ipcMain, safeStorage } from 'electron';

const MINUTE = 60_000;

// Without `await`: Electron is ready only after this module has run to its end.
app.whenReady().then(start);

async function start() {
  const folder = app.getPath('userData');
  const latchkey = new Latchkey({
    url: 'https://licenses.example.com',
    roots: ['ROOT-KEY', 'SPARE-ROOT-KEY'],
    storage: electronStorage(safeStorage, join(folder, 'license')),
    deviceKey: electronDeviceKey(safeStorage, join(folder, 'device-key')),
    onChange: (check) => window.webContents.send('license', check),
  });

  ipcMain.handle('license:check', () => latchkey.check({ fresh: true }));
  // Errors lose their fields on the way to a window, so send an object instead.
  ipcMain.handle('license:activate', (_, licenseKey) =>
    latchkey
      .activate(licenseKey, { label: hostname() })
      .catch(({ code, message, problem }) => ({ code, message, problem })),
  );
  ipcMain.handle('license:deactivate', () => latchkey.deactivate());

  const window = new BrowserWindow({ webPreferences: { preload: join(import.meta.dirname, 'preload.cjs') } });
  const { state } = await latchkey.check();
  await window.loadFile(state === 'licensed' || state === 'grace' ? 'index.html' : 'activate.html');

  // A program that runs for days renews its lease. Do not stop it while somebody works: decide at the next start. The
  // interval is random, so that programs that started together do not ask the server together.
  function checkLater() {
    setTimeout(() => latchkey.check().then(checkLater), (4 + 2 * Math.random()) * MINUTE).unref();
  }
  checkLater();
}
