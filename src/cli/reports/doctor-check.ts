import type { Config } from '../../config/config.ts';
import { openService, type Service } from '../../installation/service.ts';
import { foreseen } from '../failure.ts';

/** The result of one check of doctor. */
export interface Check {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it; null if there is nothing to do. */
  advice: string | null;
}

export const ok = (name: string, message: string): Check => ({ name, status: 'ok', message, advice: null });
export const warn = (name: string, message: string, advice: string): Check => ({
  ...{ name, status: 'warn', message, advice },
});
export const fail = (name: string, message: string, advice: string): Check => ({
  ...{ name, status: 'fail', message, advice },
});
/** A warning, or `ok` with the same message. */
export const warnIf = (isBad: boolean, name: string, message: string, advice: string): Check =>
  isBad ? warn(name, message, advice) : ok(name, message);

/** Repairs something with an open service. @returns the check, with the message of `repair` */
export async function repaired(
  name: string,
  config: Config,
  repair: (service: Service) => Promise<string>,
): Promise<Check> {
  try {
    const service = await openService(config, { mustExist: true });
    return ok(name, await repair(service).finally(service.close));
  } catch (error) {
    return fail(name, reasonOf(error), 'Fix this, then run "latchkey doctor --fix" again.');
  }
}

export const reasonOf = (error: unknown): string => (foreseen(error) ?? (error as Error)).message;
