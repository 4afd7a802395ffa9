import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = async (program: string, args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { timeout: 5_000, windowsHide: true })).stdout;

/** How to read the id of each operating system installation. */
const READERS: Partial<Record<NodeJS.Platform, () => Promise<string | undefined>>> = {
  linux: () => readFile('/etc/machine-id', 'utf8'),
  darwin: async () =>
    /"IOPlatformUUID" = "([^"]+)"/.exec(
      await run('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']),
    )?.[1],
  win32: async () => {
    const reg = `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\reg.exe`;
    const key = 'HKLM\\SOFTWARE\\Microsoft\\Cryptography';
    // Read the 64-bit view of the registry, also from 32-bit programs.
    const printed = await run(reg, ['query', key, '/v', 'MachineGuid', '/reg:64']);
    return /REG_SZ\s+(\S+)/.exec(printed)?.[1];
  },
};
const LEAST = 16;

/**
 * Returns a fingerprint derived from the id of the operating system installation, so that it survives a reinstallation of
 * the program. It is the HMAC-SHA256 of the id and `app`, so that different programs cannot compare theirs. Clones of a
 * disk or a virtual machine have the same id, and containers often have none.
 * @param app a text of your program that never changes
 * @returns null if the system has no readable id: use the default of `Latchkey` then
 */
export async function deviceFingerprint(app: string): Promise<string | null> {
  const id = await READERS[process.platform]?.().catch(() => undefined);
  const trimmed = id?.trim().toLowerCase() ?? '';
  if (trimmed.length < LEAST || trimmed === 'uninitialized') return null;
  return createHmac('sha256', trimmed).update(app).digest('base64url');
}
