import { parameterName } from '../domain/fields.ts';

/** `licenseKey` or `license_key` is set by `--license-key`. */
export const flagOfParameter = (name: string): string => `--${parameterName(name).replaceAll('_', '-')}`;
