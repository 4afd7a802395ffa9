import { signCompact } from './compact.ts';
import type { DeviceKey } from './device-key.ts';

// Requests and receipts of devices without a network (docs/integrate/lease-format.md).

interface Request {
  key: string;
  x: string | undefined;
  n: string;
  iat: number;
  fpr: string | undefined;
  lbl: string | undefined;
  prd: number | undefined;
}

export const offlineRequest = async (key: DeviceKey, request: Request): Promise<string> =>
  `LKREQ1.${await signCompact('lk-request+jwt', { ...request }, key.sign)}`;

interface Receipt {
  sub: string;
  lic: string;
  x: string;
  iat: number;
}

export const offlineReceipt = async (key: DeviceKey, receipt: Receipt): Promise<string> =>
  `LKOFF1.${await signCompact('lk-release+jwt', { ...receipt }, key.sign)}`;
