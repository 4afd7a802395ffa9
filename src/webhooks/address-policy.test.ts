import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import { startReceiver } from '../../test/support/receiver.ts';
import { createSender } from './sender.ts';
import type { Sender } from './webhooks.ts';

/** Stands for an address that is allowed; the other addresses of this machine are not. */
const ALLOWED = '127.0.0.1';
const FORBIDDEN = '127.0.0.2';

const { port, seen } = await startReceiver({ after });
beforeEach(() => {
  seen.length = 0;
});

const names: Record<string, string[]> = {};
const resolve = async (name: string) =>
  (names[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
function started(options: Partial<Parameters<typeof createSender>[0]> = {}, networks = [ALLOWED]): Sender {
  const sender = createSender({ networks, resolve, ...options });
  after(() => sender.close());
  return sender;
}
const errorOf = async (sender: Sender, url: string): Promise<string | null> =>
  (await sender.send({ url, headers: {}, body: '{}' })).error;

describe('addresses that nothing is sent to', () => {
  /** Each is used with the port of a server that listens on all addresses of this machine. */
  const LITERALS: [why: string, host: string][] = [
    ['loopback', '127.0.0.2'],
    ['decimal', '2130706434'],
    ['hexadecimal', '0x7f000002'],
    ['hexadecimal parts', '0x7f.0.0.2'],
    ['octal', '0177.0.0.02'],
    ['a short form', '127.2'],
    ['a dot at the end', '127.0.0.2.'],
    ['full-width digits', '１２７.０.０.２'],
    ['digits in circles', '①②⑦.⓪.⓪.②'],
    ['ideographic full stops', '127。0。0。2'],
    ['percent-encoded digits', '%31%32%37.0.0.2'],
    ['a tab between digits', '127.0.\t0.2'],
    ['a soft hyphen', '127.0.0.2\u00ad'],
    ['no address', '0.0.0.0'],
    ['no address, short', '0'],
    ['no address of IPv6', '[::]'],
    ['loopback of IPv6', '[::1]'],
    ['IPv4 in IPv6', '[::ffff:127.0.0.2]'],
    ['IPv4 in IPv6, hexadecimal', '[::ffff:7f00:2]'],
    ['IPv4 in IPv6, written out', '[0:0:0:0:0:ffff:7f00:0002]'],
    ['IPv4 in IPv6, compatible', '[::127.0.0.2]'],
    ['IPv4 in IPv6, translated', '[::ffff:0:127.0.0.2]'],
    ['IPv4 behind NAT64', '[64:ff9b::127.0.0.2]'],
    ['NAT64 of a network', '[64:ff9b:1::127.0.0.2]'],
    ['6to4', '[2002:7f00:2::]'],
    ['Teredo', '[2001:0:7f00:2::]'],
    ['private', '10.0.0.7'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['private of IPv6', '[fd00:ec2::254]'],
    ['site-local', '[fec0::1]'],
    ['link-local', '169.254.1.1'],
    ['link-local of IPv6', '[fe80::1]'],
    ['metadata of a cloud', '169.254.169.254'],
    ['metadata of a cloud, in IPv6', '[::ffff:a9fe:a9fe]'],
    ['metadata of Azure', '168.63.129.16'],
    ['metadata of Oracle', '192.0.0.192'],
    ['shared by customers of a provider', '100.100.100.200'],
    ['multicast', '224.0.0.1'],
    ['multicast of IPv6', '[ff02::1]'],
    ['broadcast', '255.255.255.255'],
    ['benchmarks', '198.18.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation of IPv6', '[2001:db8::1]'],
    ['reserved', '240.0.0.1'],
    ['reserved IPv6', '[4000::1]'],
    ['localhost', 'localhost'],
    ['localhost with a dot', 'LocalHost.'],
    ['below localhost', 'a.localhost'],
  ];
  const strict = started({}, ['10.1.0.0/16']);
  for (const [why, host] of LITERALS) {
    test(`${why}: ${JSON.stringify(host)}`, async () => {
      for (const protocol of ['https', 'http']) {
        const url = `${protocol}://${host}:${port}/`;
        assert.equal(strict.addressFault(url), 'address_not_allowed');
        assert.match((await errorOf(strict, url)) ?? '', /^address is not public: [\da-f.:]+$/);
      }
      assert.deepEqual(seen, []);
    });
  }

  test('spellings of the host that hide behind something else', async () => {
    for (const [url, fault] of [
      [`https://public.example@${FORBIDDEN}:${port}/`, 'has_credentials'],
      [`https://public.example:${port}@${FORBIDDEN}:${port}/`, 'has_credentials'],
      [`https:${FORBIDDEN}:${port}/`, 'address_not_allowed'],
      [`https:\\\\${FORBIDDEN}:${port}\\@public.example/`, 'address_not_allowed'],
      [`https://${FORBIDDEN}:${port}#@public.example/`, 'address_not_allowed'],
      [`https://[fe80::1%25lo]:${port}/`, 'not_web_address'],
      [`https://256.0.0.1:${port}/`, 'not_web_address'],
      ['/hook', 'not_web_address'],
      ['file:///etc/passwd', 'not_web_address'],
      ['gopher://127.0.0.1/', 'not_web_address'],
      [`blob:https://${ALLOWED}/`, 'not_web_address'],
    ] as const) {
      assert.equal(strict.addressFault(url), fault, url);
      assert.notEqual(await errorOf(strict, url), null, url);
    }
    assert.deepEqual(seen, []);
  });

  test('an IPv4 address inside an IPv6 address is judged as itself', () => {
    const sender = started();
    for (const host of ['[::ffff:127.0.0.1]', '[64:ff9b::127.0.0.1]'])
      assert.equal(sender.addressFault(`http://${host}/`), null, host);
    for (const host of ['[::ffff:9.9.9.9]', '[64:ff9b::9.9.9.9]'])
      assert.equal(sender.addressFault(`https://${host}/`), null, host);
    assert.equal(sender.addressFault('https://[2002:909:909::]/'), 'address_not_allowed');
  });

  test('http outside the listed networks', async () => {
    names['public.example'] = ['192.88.98.1'];
    const nowhere = started({}, []);
    for (const sender of [strict, nowhere]) {
      assert.equal(sender.addressFault('http://9.9.9.9/'), 'not_https');
      assert.equal(sender.addressFault('https://9.9.9.9/'), null);
      assert.equal(sender.addressFault('https://[2606:4700::1111]/'), null);
      assert.equal(sender.addressFault('https://public.example/'), null);
      assert.equal(await errorOf(sender, 'http://public.example/'), 'address is not https');
    }
    assert.equal(nowhere.addressFault('http://public.example/'), 'not_https');
    assert.equal(strict.addressFault('http://public.example/'), null);
  });
});

describe('names', () => {
  test('that lead to an address inside', async () => {
    const inside = [
      [FORBIDDEN],
      ['::1'],
      ['::ffff:127.0.0.2'],
      ['10.0.0.7'],
      ['fd00::7'],
      ['fe80::1%lo'],
      ['0177.0.0.1'],
      ['10.0.0.7', '192.168.0.1'],
    ];
    for (const addresses of inside) {
      names['inside.example'] = addresses;
      for (const protocol of ['http', 'https']) {
        const error = await errorOf(started(), `${protocol}://inside.example:${port}/`);
        assert.equal(error, `address is not public: ${addresses[0]}`);
      }
    }
    assert.deepEqual(seen, []);
  });

  test('of which one address is inside: only the others are tried', async () => {
    names['mixed.example'] = [FORBIDDEN, ALLOWED];
    const sender = started();
    assert.equal(await errorOf(sender, `http://mixed.example:${port}/`), null);
    assert.deepEqual(
      seen.map(({ from }) => from.localAddress?.replace('::ffff:', '')),
      [ALLOWED],
    );
  });

  test('that lead inside at the second look: there is one look for each connection', async () => {
    const answers = [ALLOWED, FORBIDDEN];
    const changing = async () => [{ address: answers.shift() ?? FORBIDDEN, family: 4 }];
    const sender = started({ resolve: changing });
    const url = `http://changing.example:${port}/`;
    assert.equal(await errorOf(sender, url), null);
    assert.deepEqual(answers, [FORBIDDEN]);
    // The open connection leads to an address that was checked, so the request goes through.
    assert.equal(await errorOf(sender, url), null);
    const { from } = seen[0] as { from: Socket };
    await once(from.destroy(), 'close');
    assert.equal(await errorOf(sender, url), `address is not public: ${FORBIDDEN}`);
    assert.equal(seen.length, 2);
  });

  test('whose answer changes between the check and the connection', async () => {
    let reads = 0;
    const lying = {
      family: 4,
      get address() {
        reads += 1;
        return reads === 1 ? ALLOWED : FORBIDDEN;
      },
    };
    const sender = started({ resolve: async () => [lying] });
    assert.equal(
      await errorOf(sender, `http://lying.example:${port}/`),
      `address is not public: ${FORBIDDEN}`,
    );
    assert.ok(reads > 1);
    assert.deepEqual(seen, []);
  });

  test('that nobody knows', async () => {
    assert.equal(await errorOf(started(), 'https://nobody.example/'), 'unknown host name');
    const failing = async () => {
      throw Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' });
    };
    assert.equal(await errorOf(started({ resolve: failing }), 'https://x.example/'), 'DNS does not answer');
  });

  test('that DNS never answers for', async () => {
    const silent = started({ resolve: () => new Promise(() => {}), timeout: 20 });
    assert.equal(await errorOf(silent, 'https://silent.example/'), 'no answer within 0.02 s');
  });

  test('that many ask for at the same time are looked up once', async () => {
    let lookups = 0;
    const counting = async () => {
      lookups += 1;
      return [{ address: ALLOWED, family: 4 }];
    };
    const sender = started({ resolve: counting });
    const url = `http://busy.example:${port}/`;
    await Promise.all([1, 2, 3].map(() => errorOf(sender, url)));
    assert.equal(seen.length, 3);
    assert.equal(lookups, 1);
  });
});
