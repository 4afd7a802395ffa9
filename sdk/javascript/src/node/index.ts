export { deviceFingerprint } from './device-fingerprint.ts';
export { fileDeviceKey, fileStorage } from './file-storage.ts';
