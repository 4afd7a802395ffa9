import { execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { needProgram } from '../support/debian.ts';
import { ROOT } from '../support/program.ts';

/** The Debian release that the tests install on. Later releases need cgroup v2 on the machine that runs the tests. */
const SUITE = 'bookworm';
/** The packages that the commands of the guide install: a test machine has no internet access. */
const FETCHED = ['caddy', 'libatomic1', 'docker.io', 'docker-compose'];
/** Caddy makes certificates for names under .local with a CA of its own, instead of asking a public one. */
export const DOMAIN = 'licenses.local';
/** Where Debian's Caddy keeps the certificate of its CA. */
const CA = 'var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt';

export interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** @param auth an API key, as key:secret */
export type Ask = (
  method: string,
  path: string,
  auth?: string,
  form?: Record<string, string>,
) => Promise<Answer>;

/** A Debian machine with systemd, in a container; the user `ada` may use sudo. */
export interface Machine {
  /** Its root file system. */
  root: string;
  /** Runs a script as ada, in her home directory. @returns what it prints. @throws Error with all output if it fails */
  run(script: string): string;
  /** Starts a script that keeps running. */
  start(script: string): void;
  /** Sends a request to the machine over HTTPS, from outside. */
  ask: Ask;
}

/** Makes an archive of a Debian root file system, unless an earlier run has. @returns its file */
export function makeArchive(name: string, flags: readonly string[]): string {
  const archive = join(ROOT, 'node_modules/.cache/latchkey-install', `${SUITE}-${name}.tar`);
  if (existsSync(archive)) return archive;
  const mmdebstrap = needProgram('mmdebstrap', 'mmdebstrap');
  mkdirSync(dirname(archive), { recursive: true });
  const made = `${archive}.tar`;
  execFileSync(mmdebstrap, [...flags, SUITE, made], { stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(made, archive);
  return archive;
}

/** The archive of a bare machine. */
export function bareMachine(): string {
  const setUp = [
    'apt-get clean',
    `apt-get install -y --download-only --install-recommends ${FETCHED.join(' ')}`,
    'useradd --create-home --shell /bin/bash ada',
    'echo "ada ALL=(ALL) NOPASSWD: ALL" > /etc/sudoers.d/ada',
    'echo machine > /etc/hostname',
    'printf "127.0.0.1 localhost machine\\n::1 localhost\\n" > /etc/hosts',
  ].join(' && ');
  const included = 'systemd,systemd-sysv,dbus,sudo,iproute2,ca-certificates';
  const flags = ['--variant=minbase', `--include=${included}`, '--skip=cleanup/apt'];
  return makeArchive('machine', [...flags, `--customize-hook=chroot "$1" sh -c '${setUp}'`]);
}

/** The flags and variables of systemd-nspawn that a Docker engine needs beyond a usual container. */
const FOR_DOCKER = {
  flags: ['--capability=all', '--system-call-filter=add_key keyctl bpf'],
  env: { SYSTEMD_SECCOMP: '0', SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' },
};

/**
 * Starts a fresh machine, which is removed after the test.
 * @param files to put into the home directory of ada
 * @param options.docker whether a Docker engine will run on the machine
 * @param options.ca the file of the CA of its Caddy
 */
export async function startMachine(
  t: { after(stop: () => unknown): void },
  files: readonly string[],
  { docker = false, ca = CA } = {},
): Promise<Machine> {
  const nspawn = needProgram('systemd-nspawn', 'systemd-container');
  const archive = bareMachine();
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-machine-'));
  const root = join(folder, 'root');
  mkdirSync(root);
  execFileSync('tar', ['-xf', archive, '-C', root]);
  for (const file of files) copyFileSync(file, join(root, 'home/ada', basename(file)));

  const name = `lk${process.pid}`;
  // A separate network: the guide's ports are free in it, and nothing leaves this machine.
  const container = spawn(
    nspawn,
    [
      ...[
        '--boot',
        `--directory=${root}`,
        `--machine=${name}`,
        '--network-veth',
        '--register=no',
        '--keep-unit',
      ],
      ...(docker ? FOR_DOCKER.flags : []),
    ],
    { stdio: 'ignore', env: { ...process.env, ...(docker && FOR_DOCKER.env) } },
  );
  const ended = once(container, 'exit');
  let leader = '';
  t.after(async () => {
    // All processes of the machine end with its first one.
    process.kill(Number(leader) || Number(container.pid), 'SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  });
  const inside = await untilDone(() => {
    // Early in the start, this is a helper of systemd-nspawn instead.
    leader = execFileSync('pgrep', ['-P', String(container.pid)], QUIET).trim();
    const enter = (command: string[]) => execFileSync('nsenter', ['-t', leader, '-a', ...command], QUIET);
    enter(['systemctl', 'is-system-running']);
    return enter;
  });

  // A /30 network from the range for benchmarking (RFC 2544).
  const network = `198.18.${process.pid % 256}`;
  const address = `${network}.2`;
  execFileSync('ip', ['address', 'add', `${network}.1/30`, 'dev', `ve-${name}`]);
  execFileSync('ip', ['link', 'set', `ve-${name}`, 'up']);
  inside(['ip', 'address', 'add', `${address}/30`, 'dev', 'host0']);
  inside(['ip', 'link', 'set', 'host0', 'up']);

  const asAda = (script: string) => ['runuser', '-l', 'ada', '-c', script];
  return {
    root,
    run: (script) => inside(asAda(script)),
    start: (script) =>
      inside(['systemd-run', '--uid=ada', '--working-directory=/home/ada', 'sh', '-c', script]),
    ask: (...call) => askOverHttps(address, join(root, ca), ...call),
  };
}

/** Hides the output of commands unless they fail: Node.js puts standard error into the error. */
const QUIET = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] as StdioOptions } as const;

/** Retries until the action does not throw, for a minute. */
export async function untilDone<T>(action: () => T | Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await action();
    } catch (error) {
      if (tries === 300) throw error;
      await setTimeout(200);
    }
  }
}

/** Sends a request for DOMAIN to a host. @param ca the file of the CA that signed its certificate */
export async function askOverHttps(
  host: string,
  ca: string,
  ...[method, path, auth, form]: Parameters<Ask>
): Promise<Answer> {
  const asked = request({
    host,
    method,
    path,
    auth,
    ca: readFileSync(ca),
    servername: DOMAIN,
    agent: false,
    headers: { host: DOMAIN, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) },
  });
  asked.end(form && new URLSearchParams(form).toString());
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
