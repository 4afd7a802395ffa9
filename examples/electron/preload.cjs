const { contextBridge, ipcRenderer } = require('electron');

contextBridge.exposeInMainWorld('license', {
  check: () => ipcRenderer.invoke('license:check'),
  activate: (licenseKey) => ipcRenderer.invoke('license:activate', licenseKey),
  deactivate: () => ipcRenderer.invoke('license:deactivate'),
  onChange: (listener) => ipcRenderer.on('license', (_, check) => listener(check)),
});
