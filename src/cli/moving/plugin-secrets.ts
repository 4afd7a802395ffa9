import { type Config, SETTINGS } from '../../config/config.ts';
import { readSecrets, type Secrets, secretsOfConstants } from '../../wordpress/secrets.ts';
import type { Plugin } from '../../wordpress/shop.ts';
import { Failure } from '../failure.ts';
import { printable } from '../table.ts';

/** The settings that stand for the constants of `wp-config.php`. */
export const CONSTANTS = `${SETTINGS.pluginDefuse.env} and ${SETTINGS.pluginSecret.env}`;

/** Returns the plugin's secrets from its folder, or else from the settings; null if neither is given. @throws Failure */
export async function givenSecrets(
  plugin: Plugin,
  files: string | null,
  { pluginDefuse, pluginSecret }: Config,
): Promise<Secrets | null> {
  try {
    if (files !== null) return await readSecrets(files);
    if (pluginDefuse !== null && pluginSecret !== null)
      return secretsOfConstants(plugin, pluginDefuse, pluginSecret);
  } catch (error) {
    throw new Failure(3, 'bad_secrets', `${printable((error as Error).message)}.`);
  }
  if (pluginDefuse === null && pluginSecret === null) return null;
  throw new Failure(3, 'configuration', `${CONSTANTS} must be set together.`);
}
