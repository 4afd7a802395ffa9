#!/usr/bin/env node
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { Latchkey } from '@latchkey/client';
import { fileDeviceKey, fileStorage } from '@latchkey/client/node';

const FOLDER = join(homedir(), '.acme');

const latchkey = new Latchkey({
  url: 'https://licenses.example.com',
  roots: ['ROOT-KEY', 'SPARE-ROOT-KEY'],
  storage: fileStorage(join(FOLDER, 'license.json')),
  deviceKey: fileDeviceKey(join(FOLDER, 'device.key')),
});

const [command, argument = ''] = process.argv.slice(2);
try {
  if (command === 'activate') await latchkey.activate(argument, { label: hostname() });
  if (command === 'deactivate') await latchkey.deactivate();
  // For a device without a network: acme request KEY > acme.lkreq; acme accept "$(cat acme.lic)"; acme release > acme.lkoff
  if (command === 'request') console.log(await latchkey.offlineRequest(argument, { label: hostname() }));
  if (command === 'accept') await latchkey.acceptLease(argument);
  if (command === 'release') console.log(await latchkey.offlineRelease());
} catch (error) {
  console.error(`${error.message} (${error.code})`);
  process.exitCode = 2;
}
// These two commands print the content of a file, so print nothing else.
if (command !== 'request' && command !== 'release') await report();

async function report() {
  const { state, reason, until, entitlements } = await latchkey.check();
  switch (state) {
    case 'licensed':
      console.log(`Licensed${entitlements.length > 0 ? `: ${entitlements.join(', ')}` : ''}.`);
      break;
    case 'grace':
      console.log(
        reason === 'lease_expired'
          ? `Make a new request before ${until?.toDateString()}: the license must be renewed.`
          : `Connect to the internet before ${until?.toDateString()}: the license could not be renewed.`,
      );
      break;
    default:
      console.log(`Not licensed: ${reason}.`);
      process.exitCode ||= 1;
  }
}
