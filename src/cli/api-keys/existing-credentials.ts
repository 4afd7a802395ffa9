import type { Credentials } from '../../app/api-keys/credentials.ts';
import { isConsumerKey, isConsumerSecret } from '../../domain/api-key.ts';
import { invalidValues } from '../failure.ts';

/**
 * A consumer key and secret that clients have already, from standard input: process lists and the history of a shell
 * would show them. Separated by white space or a colon.
 * @throws Failure, which does not repeat them
 */
export async function readExistingCredentials(input: AsyncIterable<Buffer>): Promise<Credentials> {
  const parts: Buffer[] = [];
  for await (const part of input) parts.push(part);
  const [consumerKey = '', consumerSecret = '', ...more] = Buffer.concat(parts)
    .toString('utf8')
    .trim()
    .split(/[\s:]+/);
  if (more.length > 0 || !isConsumerKey(consumerKey) || !isConsumerSecret(consumerSecret)) {
    throw invalidValues({
      existing:
        'wants "ck_… cs_…" on standard input: a consumer key and its secret, each of 16 to 128 letters and digits.',
    });
  }
  return { consumerKey, consumerSecret };
}
