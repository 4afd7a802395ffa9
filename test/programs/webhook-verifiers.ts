import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWebhookSigner, newEndpointSecrets, newSecret } from '../../src/app/events/signature.ts';
import { toDatetime } from '../../src/domain/datetime.ts';
import { needProgram } from '../support/debian.ts';
import { ROOT } from '../support/program.ts';
import { codeBlocks } from './languages.ts';

/** A code block of docs/integrate/webhooks.md that verifies signatures. */
interface Verifier {
  name: string;
  tag: string;
  /** Index of the block among those in this language. */
  nth?: number;
  /** Whether it verifies with the public key of the endpoint. */
  isPublic?: boolean;
  /**
   * The files of the program that runs the block. It reads one case per line: secret, id, timestamp,
   * signatures and body, each in base64, separated by tabs. For each case it writes a line that ends with
   * "true" or "false".
   */
  files: (block: string) => Record<string, string>;
  build?: (folder: string) => void;
  run: (folder: string) => string[];
}

const CASES_IN_JAVASCRIPT = `
import { readFileSync } from 'node:fs';
for (const line of readFileSync(0, 'utf8').split('\\n')) {
  const fields = line.split('\\t').map((field) => Buffer.from(field, 'base64'));
  process.stdout.write(\`\${await check(...fields.slice(0, 4).map(String), fields[4])}\\n\`);
}`;

const inJavaScript = (block: string) => ({
  'verify.mjs': `${block}${CASES_IN_JAVASCRIPT}\nfunction check(...all) { return isGenuine(...all); }`,
});
const runJavaScript = () => [process.execPath, 'verify.mjs'];

export const INTERPRETED_VERIFIERS: readonly Verifier[] = [
  { name: 'JavaScript', tag: 'js', files: inJavaScript, run: runJavaScript },
  {
    name: 'JavaScript with the public key',
    ...{ tag: 'js', nth: 3, isPublic: true, files: inJavaScript, run: runJavaScript },
  },
  {
    name: 'the receiver in JavaScript',
    ...{ tag: 'js', nth: 1, run: runJavaScript },
    files: (block) => ({
      'verify.mjs': `${codeBlocks('webhooks', 'js')[0]}
${block.replace('const secret', 'let secret').replace('createServer(async', 'const server = $&').replace('3000', '0')}
console.log = () => {};${CASES_IN_JAVASCRIPT}
server.close().closeAllConnections();
async function check(given, id, timestamp, signatures, body) {
  secret = given;
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures };
  const request = { method: 'POST', headers, body };
  return (await fetch(\`http://127.0.0.1:\${server.address().port}\`, request)).status === 204;
}`,
    }),
  },
  {
    name: 'JavaScript with the official library',
    tag: 'js',
    nth: 2,
    files: (block) => ({
      'verify.mjs': `${block}${CASES_IN_JAVASCRIPT}
function check(secret, id, timestamp, signatures, body) {
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures };
  try {
    return 'type' in verified(secret, headers, body);
  } catch (error) {
    return error.name !== 'WebhookVerificationError' && error;
  }
}`,
    }),
    run: runJavaScript,
  },
  {
    name: 'Python',
    tag: 'python',
    files: (block) => ({
      'verify.py': `${block}
import sys
for line in sys.stdin.read().split("\\n"):
    *texts, body = [base64.b64decode(field) for field in line.split("\\t")]
    print(str(is_genuine(*[text.decode() for text in texts], body)).lower())`,
    }),
    run: () => [needProgram('python3', 'python3'), 'verify.py'],
  },
  {
    name: 'PHP',
    tag: 'php',
    files: (block) => ({
      'verify.php': `<?php
declare(strict_types=1);
${block}
foreach (explode("\\n", stream_get_contents(STDIN)) as $line) {
    echo json_encode(is_genuine(...array_map('base64_decode', explode("\\t", $line)))), "\\n";
}`,
    }),
    run: () => [needProgram('php', 'php-cli'), 'verify.php'],
  },
];

export const COMPILED_VERIFIERS: readonly Verifier[] = [
  {
    name: 'Go',
    tag: 'go',
    files: (block) => ({
      'verify.go': `package main\n\n${block}`,
      'main.go': `package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	cases, _ := io.ReadAll(os.Stdin)
	for _, line := range strings.Split(string(cases), "\\n") {
		var fields [5]string
		for i, field := range strings.Split(line, "\\t") {
			bytes, _ := base64.StdEncoding.DecodeString(field)
			fields[i] = string(bytes)
		}
		fmt.Println(isGenuine(fields[0], fields[1], fields[2], fields[3], []byte(fields[4])))
	}
}
`,
    }),
    build(folder) {
      const go = needProgram('go', 'golang-go');
      build(folder, [go, 'vet', 'main.go', 'verify.go']);
      build(folder, [go, 'build', '-o', 'verify', 'main.go', 'verify.go']);
    },
    run: (folder) => [join(folder, 'verify')],
  },
  {
    name: 'Java',
    tag: 'java',
    files: (block) => ({
      'Webhooks.java': block,
      'Main.java': `import java.util.Base64;
import java.util.stream.Stream;

public class Main {
    public static void main(String[] args) throws Exception {
        for (var line : new String(System.in.readAllBytes()).split("\\n", -1)) {
            var fields = Stream.of(line.split("\\t", -1)).map(Base64.getDecoder()::decode).toArray(byte[][]::new);
            var texts = Stream.of(fields).map(String::new).toArray(String[]::new);
            System.out.println(Webhooks.isGenuine(texts[0], texts[1], texts[2], texts[3], fields[4]));
        }
    }
}
`,
    }),
    build(folder) {
      const javac = needProgram('javac', 'default-jdk-headless');
      build(folder, [javac, '-Xlint:all', '-Werror', 'Webhooks.java', 'Main.java']);
    },
    run: () => ['java', '-Dfile.encoding=UTF-8', 'Main'],
  },
  {
    name: 'C#',
    tag: 'csharp',
    files: (block) => ({
      'Webhooks.cs': block,
      'Main.cs': `using System;
using System.Linq;
using System.Text;

public static class Runner
{
    public static void Main()
    {
        foreach (var line in Console.In.ReadToEnd().Split('\\n'))
        {
            var fields = line.Split('\\t').Select(Convert.FromBase64String).ToArray();
            var texts = fields.Select(Encoding.UTF8.GetString).ToArray();
            var isGenuine = Webhooks.IsGenuine(texts[0], texts[1], texts[2], texts[3], fields[4]);
            Console.WriteLine(isGenuine.ToString().ToLower());
        }
    }
}
`,
    }),
    build(folder) {
      const compiler = needProgram('mcs', 'mono-mcs');
      build(folder, [
        compiler,
        '-langversion:latest',
        '-warnaserror',
        '-out:verify.exe',
        'Main.cs',
        'Webhooks.cs',
      ]);
    },
    run: () => [needProgram('mono', 'mono-runtime'), 'verify.exe'],
  },
];

const build = (cwd: string, [command, ...args]: string[]): void =>
  void execFileSync(command as string, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });

const MINUTE = 60;

/** Returns requests, each with whether a receiver must accept it. @param isPublic whether it has the public key */
function requests(isPublic: boolean) {
  const keys = newEndpointSecrets();
  const keyOf = ({ secret, publicKey }: typeof keys) => (isPublic ? publicKey : secret);
  const oldSecret = newSecret();
  const now = Math.floor(Date.now() / 1_000);
  const message = {
    id: 'evt_5f0c6b0e3a7d4d3f9b1c2a4e6d8f0b1c',
    at: now,
    body: '{"type":"license.created","data":{"owner":"Zoë 💡\\n"}}',
  };
  const unrotated = createWebhookSigner({ ...keys, oldSecret: null }, { oldSecretUntil: null });
  const rotated = createWebhookSigner(
    { ...keys, oldSecret },
    { oldSecretUntil: toDatetime((now + MINUTE) * 1_000) },
  );

  /** Returns what a receiver gets: the current secret and a good request, with changes. */
  const given = (changes: { at?: number; by?: typeof unrotated } = {}) => {
    const { by = unrotated, at = now } = changes;
    const { 'webhook-id': id, ...headers } = by({ ...message, at });
    const [timestamp, signatures] = [headers['webhook-timestamp'], headers['webhook-signature']];
    return { secret: keyOf(keys), id, timestamp, signatures, body: message.body };
  };
  const good = given();
  const [own = '', other = ''] = isPublic ? good.signatures.split(' ').reverse() : good.signatures.split(' ');
  const version = own.replace(/,.*/, '');
  const at = (seconds: number) => given({ at: now + seconds });
  return Object.entries({
    'true: a good request': good,
    'true: four minutes ago': at(-4 * MINUTE),
    'true: four minutes ahead': at(4 * MINUTE),
    'true: signatures in another order': {
      ...good,
      signatures: good.signatures.split(' ').reverse().join(' '),
    },
    'true: rotated, with the new key': given({ by: rotated }),
    'true: rotated, with the old secret': { ...given({ by: rotated }), secret: oldSecret },
    'false: the old secret after its expiry': { ...good, secret: oldSecret },
    'false: a wrong key': { ...good, secret: keyOf(newEndpointSecrets()) },
    'false: a changed body': { ...good, body: good.body.replace('created', 'deleted') },
    'false: a body that was written again': { ...good, body: JSON.stringify(JSON.parse(good.body), null, 1) },
    'false: no body': { ...good, body: '' },
    'false: a changed id': { ...good, id: `${good.id}0` },
    'false: a changed timestamp': { ...good, timestamp: String(now + 1) },
    'false: six minutes ago': at(-6 * MINUTE),
    'false: six minutes ahead': at(6 * MINUTE),
    'false: no timestamp': { ...good, timestamp: '' },
    'false: a timestamp of text': { ...good, timestamp: 'soon' },
    'false: a negative timestamp': { ...good, timestamp: '-1' },
    'false: a huge timestamp': { ...good, timestamp: '9'.repeat(5_000) },
    'false: no signature': { ...good, signatures: '' },
    'false: an empty signature': { ...good, signatures: `${version},` },
    'false: a cut signature': { ...good, signatures: own.slice(0, -6) },
    'false: a longer signature': { ...good, signatures: `${own.replaceAll('=', '')}AAAA` },
    'false: an unknown version': { ...good, signatures: own.replace(version, 'v2') },
    'false: only signed by the other key': { ...good, signatures: other },
    'false: signatures that are not base64': { ...good, signatures: `${version},ä ${version} , ,,` },
  }).filter(([name]) => !isPublic || !name.includes('old secret'));
}

/** Runs a block of the page through all requests. */
export function checkVerifier({ tag, nth = 0, isPublic = false, files, build, run }: Verifier): void {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-verifier-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const block = codeBlocks('webhooks', tag)[nth] as string;
    for (const [file, text] of Object.entries(files(block))) writeFileSync(join(folder, file), text);
    build?.(folder);
    const cases = requests(isPublic);
    const lines = cases.map(([, { secret, id, timestamp, signatures, body }]) =>
      [secret, id, timestamp, signatures, body]
        .map((text) => Buffer.from(text).toString('base64'))
        .join('\t'),
    );
    const [command, ...args] = run(folder);
    const output = execFileSync(command as string, args, { cwd: folder, input: lines.join('\n') });
    const said = String(output).trimEnd().split(/\r?\n/);
    const outcomes = cases.map(([name], i) => `${said[i]}: ${name.replace(/^\w+: /, '')}`);
    assert.deepEqual(
      outcomes,
      cases.map(([name]) => name),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
