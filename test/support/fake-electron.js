import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// A stand-in for Electron and its module: it runs the main module that the first argument names, with a keyring that inverts
// each byte, and a user whose steps are the last arguments. It prints each page that the window loads, and each answer to the
// user.

const [main, folder, ...steps] = process.argv.slice(2);
const turned = (bytes) => Buffer.from(bytes.map((byte) => byte ^ 0xff));
const handlers = new Map();
const ready = Promise.withResolvers();

export const app = {
  whenReady: () => ready.promise,
  getPath: (name) => join(folder, name),
};
export const safeStorage = {
  isAsyncEncryptionAvailable: async () => true,
  encryptStringAsync: async (text) => turned(Buffer.from(text)),
  decryptStringAsync: async (bytes) => ({ result: turned(bytes).toString() }),
};
export const ipcMain = { handle: (channel, handler) => void handlers.set(channel, handler) };
export class BrowserWindow {
  webContents = { send: (channel, value) => print(channel, value) };
  async loadFile(file) {
    print('page', file);
    for (const step of steps) {
      const [channel, argument] = step.split('=');
      print(channel, await handlers.get(channel)(null, argument));
    }
  }
}

// JSON stands in for the structured clone by which Electron sends a value to a window.
const print = (what, value) => process.stdout.write(`${JSON.stringify([what, value ?? null])}\n`);

// Electron is ready only after the main module was evaluated, with all that it awaits.
import(pathToFileURL(main)).then(ready.resolve);
