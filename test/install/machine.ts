import { execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { needProgram } from '../support/debian.ts';
import { ROOT } from '../support/program.ts';

/** The Debian that the tests install on. Later ones need cgroup v2 on the machine that runs the tests. */
const SUITE = 'bookworm';
/** What the commands of the guide install: the machine of a test has no way to the internet. */
const FETCHED = ['caddy', 'libatomic1'];
/** Caddy makes certificates for names under .local with a CA of its own, instead of asking a public one. */
export const DOMAIN = 'licenses.local';
const CA = 'var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt';

export interface Answer {
  status: number | undefined;
  body: string;
}

/** A Debian machine with systemd, in a container; the user `ada` may use sudo. */
export interface Machine {
  /** Its root file system. */
  root: string;
  /** Runs a script as ada, in her home directory. @returns what it prints. @throws Error with all output if it fails */
  run(script: string): string;
  /** Waits until a script succeeds, for half a minute. */
  until(script: string): Promise<string>;
  /** Asks the machine over HTTPS, from outside. */
  ask(method: string, path: string, credentials?: string, body?: URLSearchParams): Promise<Answer>;
}

/** Makes the archive of a bare Debian machine, unless an earlier run has. @returns its file */
function bareMachine(): string {
  const archive = join(ROOT, 'node_modules/.cache/latchkey-install', `${SUITE}.tar`);
  if (existsSync(archive)) return archive;
  const mmdebstrap = needProgram('mmdebstrap', 'mmdebstrap');
  mkdirSync(join(archive, '..'), { recursive: true });
  const setUp = [
    'apt-get clean',
    `apt-get install -y --download-only ${FETCHED.join(' ')}`,
    'useradd --create-home --shell /bin/bash ada',
    'echo "ada ALL=(ALL) NOPASSWD: ALL" > /etc/sudoers.d/ada',
    'echo machine > /etc/hostname',
    'printf "127.0.0.1 localhost machine\\n::1 localhost\\n" > /etc/hosts',
  ].join(' && ');
  const included = 'systemd,systemd-sysv,dbus,sudo,iproute2,ca-certificates';
  const flags = ['--variant=minbase', `--include=${included}`, '--skip=cleanup/apt'];
  execFileSync(
    mmdebstrap,
    [...flags, `--customize-hook=chroot "$1" sh -c '${setUp}'`, SUITE, `${archive}.new`],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  execFileSync('mv', [`${archive}.new`, archive]);
  return archive;
}

/** Starts a fresh machine, which ends after the test. @param files to put into the home directory of ada */
export async function startMachine(
  t: { after(stop: () => unknown): void },
  files: readonly string[],
): Promise<Machine> {
  const nspawn = needProgram('systemd-nspawn', 'systemd-container');
  const archive = bareMachine();
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-machine-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, 'root');
  mkdirSync(root);
  execFileSync('tar', ['-xf', archive, '-C', root]);
  for (const file of files) copyFileSync(file, join(root, 'home/ada', basename(file)));

  const name = `lk${process.pid}`;
  // A network of its own: the guide's ports are free there, and nothing leaves this machine.
  const container = spawn(
    nspawn,
    ['--boot', `--directory=${root}`, `--machine=${name}`, '--network-veth', '--register=no', '--keep-unit'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(container, 'exit');
  const leader = await untilDone(() => execFileSync('pgrep', ['-P', String(container.pid)], QUIET).trim());
  t.after(async () => {
    // SIGRTMIN+4 asks systemd to power off.
    execFileSync('kill', ['-s', 'RTMIN+4', leader]);
    await ended;
  });
  const inside = (command: string[]) => execFileSync('nsenter', ['-t', leader, '-a', ...command], QUIET);
  await untilDone(() => inside(['systemctl', 'is-system-running']));

  // A /30 network of the range for tests between networks (RFC 2544).
  const network = `198.18.${process.pid % 256}`;
  const address = `${network}.2`;
  execFileSync('ip', ['address', 'add', `${network}.1/30`, 'dev', `ve-${name}`]);
  execFileSync('ip', ['link', 'set', `ve-${name}`, 'up']);
  inside(['ip', 'address', 'add', `${address}/30`, 'dev', 'host0']);
  inside(['ip', 'link', 'set', 'host0', 'up']);

  const run = (script: string) => inside(['runuser', '-l', 'ada', '-c', script]);
  return {
    root,
    run,
    until: (script) => untilDone(() => run(script)),
    ask: async (method, path, credentials, body) => {
      const ca = await untilDone(() => readFileSync(join(root, CA)));
      return askOverHttps({ ca, address, method, path, credentials, body });
    },
  };
}

/** Commands whose output is only of interest if they fail: Node.js puts standard error into the error. */
const QUIET = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] as StdioOptions } as const;
