import type { Config } from '../../config/config.ts';
import { openForCommand, type Service } from '../../installation/service.ts';
import { foreseen, SEE_DOCTOR } from '../failure.ts';
import { printable } from '../table.ts';

/** The result of one check of doctor. */
export interface Check {
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it; null if there is nothing to do. */
  advice: string | null;
}

/** Checks by their names, in the order in which doctor shows them. */
export type Checks = Readonly<Record<string, Check>>;

export const ok = (message: string): Check => ({ status: 'ok', message, advice: null });
export const warn = (message: string, advice: string): Check => ({ status: 'warn', message, advice });
export const fail = (message: string, advice: string): Check => ({ status: 'fail', message, advice });

/** Returns a warning if `isBad`, otherwise `ok` with the same message. */
export const warnIf = (isBad: boolean, message: string, advice: string): Check =>
  isBad ? warn(message, advice) : ok(message);

const NAME_WIDTH = 15;
/** Returns a check as text, for people. */
export const words = ([name, { status, message, advice }]: [string, Check]): string => {
  const line = `${status.padEnd(4)}  ${name.padEnd(NAME_WIDTH)}  ${printable(message)}`;
  return advice === null ? line : `${line}\n${' '.repeat(NAME_WIDTH + 8)}${printable(advice)}`;
};

/** Repairs something with an open service. @returns the check, with the message of `repair` */
export async function repaired(
  config: Config,
  repair: (service: Service) => Promise<string>,
): Promise<Check> {
  try {
    const { service } = await openForCommand(config, { mustExist: true });
    return ok(await repair(service).finally(service.close));
  } catch (error) {
    return fail(reasonOf(error), 'Fix this, then run "latchkey doctor --fix" again.');
  }
}

/** Returns why a check could not be made. */
export const reasonOf = (error: unknown): string =>
  (foreseen(error) ?? (error as Error)).message.replace(SEE_DOCTOR, '');
