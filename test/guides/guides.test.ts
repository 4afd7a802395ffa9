import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { createCli } from '../cli/cli.ts';
import { needProgram } from '../support/debian.ts';
import { ROOT } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { filled, shellBlocks } from './shell-blocks.ts';

/**
 * Runs the shell commands of a guide from top to bottom, as a reader does: in an empty folder, next to a server that
 * was just set up. The server and `latchkey` run in this process.
 */
const GUIDES = [
  'README.md',
  'docs/integrate/{README,releases,selling,v1,webhooks}.md',
  'docs/operate/{backups,everyday,running}.md',
];

/** Stand-ins for programs of a reader: $SHIM is the address of `latchkey`. */
const PROGRAMS = {
  npm: `case "$*" in
    ci | start) ;; # the server runs
    "run -s latchkey -- "*) shift 4; exec latchkey "$@" ;;
    *) echo "npm $*?"; exit 1 ;;
    esac`,
  latchkey: `words=(); for word; do words+=(--data-urlencode "word=$word"); done
    exec /usr/bin/curl -sS --fail-with-body --data-urlencode "env=$(env | grep ^LATCHKEY_)" "\${words[@]}" $SHIM`,
  // A block that changes the machine is marked as not run.
  sudo: 'exit 1',
  // Fails on an error response that curl would print as an answer.
  curl: `[[ " $* " == *" --fail "* ]] || set -- --fail-with-body "$@"
    exec /usr/bin/curl -sS "$@"`,
};

for (const guide of globSync(GUIDES, { cwd: ROOT }).sort()) {
  const blocks = shellBlocks(readFileSync(join(ROOT, guide), 'utf8'));
  const run = blocks.filter(({ notRun }) => notRun === null);
  if (run.length === 0) continue;
  test(`the commands of ${guide} work, in order`, async (t) => {
    const reader = await setUpReader(t);
    const commands = run.map(({ line, commands }) => `: line ${line}\n${reader.fill(commands)}`).join('\n');
    assert.doesNotMatch(commands, /…/, 'a placeholder without a value');
    const { code, transcript } = await reader.run(commands);
    assert.equal(code, 0, transcript);
  });
}

/** Sets up an empty folder with `data/`, next to a server that has a license. */
async function setUpReader(t: TestContext) {
  const api = await startService(t);
  await api.license();
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-reader-'));
  const [bin, transcript] = [join(folder, '.bin'), join(folder, '.transcript')];
  mkdirSync(bin);
  const curl = needProgram('curl', 'curl');
  for (const [name, body] of Object.entries(PROGRAMS)) {
    const script = `#!/bin/bash\n${body.replaceAll('/usr/bin/curl', curl)}\n`;
    writeFileSync(join(bin, name), script, { mode: 0o755 });
  }
  symlinkSync(api.dataDir, join(folder, 'data'));
  const shim = await startLatchkey(api.dataDir);
  // Relative paths in arguments of `latchkey` are relative to the reader's folder.
  const before = process.cwd();
  process.chdir(folder);
  t.after(() => {
    process.chdir(before);
    shim.close();
    rmSync(folder, { recursive: true });
  });
  return {
    fill: (commands: string) =>
      filled(commands).replaceAll('http://127.0.0.1:8080', `http://127.0.0.1:${api.port}`),
    async run(commands: string) {
      const script = `set -euvo pipefail\nexec >"$TRANSCRIPT" 2>&1\n${commands}\n`;
      writeFileSync(join(folder, '.script'), script);
      const shell = spawn('bash', ['.script'], {
        cwd: folder,
        stdio: 'ignore',
        env: {
          PATH: `${bin}:${process.env.PATH}`,
          HOME: folder,
          TRANSCRIPT: transcript,
          READER_KEY: api.credentials.consumerKey,
          READER_SECRET: api.credentials.consumerSecret,
          SHIM: `http://127.0.0.1:${(shim.address() as AddressInfo).port}`,
        },
      });
      const [code] = await once(shell, 'close');
      return { code, transcript: readFileSync(transcript, 'utf8') };
    },
  };
}

/**
 * Runs `latchkey` behind a server that takes arguments and variables and answers with the output; 500 if the command
 * fails.
 */
async function startLatchkey(dataDir: string) {
  const cli = createCli(dataDir);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    const lines = (form.get('env') ?? '').split('\n').filter(Boolean);
    const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
    const { code, stdout, stderr } = await cli.run(form.getAll('word'), { env });
    response.writeHead(code === 0 ? 200 : 500).end(stdout + stderr);
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}
