import { join } from 'node:path';

// A stand-in for the `electron` module: a keyring that inverts each byte, and a user whose steps are the arguments. It
// prints each page that the window loads, and each answer to the user.

const [folder, ...steps] = process.argv.slice(2);
const turned = (bytes) => Buffer.from(bytes.map((byte) => byte ^ 0xff));
const handlers = new Map();

export const app = {
  whenReady: async () => undefined,
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
