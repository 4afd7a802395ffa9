import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, read, readSync, writeSync } from 'node:fs';
import { createRandom } from './random.ts';

/**
 * A program that serves a disk as one file (FUSE), and keeps writes in memory until a flush, as the cache of a drive
 * does. A message `{ cut: seed }` cuts the power.
 *
 * Arguments: the file with the durable data, and the file to mount over.
 * Protocol: `include/uapi/linux/fuse.h` of Linux.
 */
const [platter, mounted] = process.argv.slice(2) as [string, string];
/** Bytes that are written completely or not at all: the physical sector of current drives. */
const SECTOR = 4096;
const [IN_HEADER, OUT_HEADER, IO_HEADER, MAX_BYTES] = [40, 16, 40, 1024 ** 2];
const GETATTR = 3;
const OPEN = 14;
const READ = 15;
const WRITE = 16;
const RELEASE = 18;
const FSYNC = 20;
const FLUSH = 25;
const INIT = 26;
/** Requests that get no answer: FORGET, INTERRUPT, BATCH_FORGET. */
const UNANSWERED = [2, 36, 42];
const ENOSYS = 38;
const [FOPEN_DIRECT_IO, FUSE_BIG_WRITES, FUSE_MAX_PAGES] = [1, 1 << 5, 1 << 22];

const disk = openSync(platter, 'r+');
const { size } = fstatSync(disk);
/** The writes since the last flush, in order. */
let cache: { at: number; bytes: Buffer }[] = [];
let isOn = true;

const fuse = openSync('/dev/fuse', 'r+');
const options = 'fd=3,rootmode=100600,user_id=0,group_id=0';
const { status } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'volatile-disk', mounted], {
  stdio: ['ignore', 'inherit', 'inherit', fuse],
});
if (status !== 0) process.exit(1);

process.on('message', ({ cut }: { cut: number }) => {
  isOn = false;
  const random = createRandom(cut);
  const kept = random.pick([0, 0.1, 0.5, 0.9, 1]) as number;
  let [sectors, lost] = [0, 0];
  for (const { at, bytes } of cache) {
    for (let from = 0; from < bytes.length; from += SECTOR) {
      sectors++;
      if (random.chance(kept)) writeSync(disk, bytes, from, Math.min(SECTOR, bytes.length - from), at + from);
      else lost++;
    }
  }
  closeSync(disk);
  process.send?.({ sectors, lost });
});
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.send?.('mounted');

const request = Buffer.alloc(IN_HEADER + IO_HEADER + MAX_BYTES);
serve();

function serve(): void {
  read(fuse, request, 0, request.length, null, (error) => {
    if (!isOn) return;
    // The file was unmounted.
    if (error?.code === 'ENODEV') process.exit();
    // ENOENT: the request was interrupted before it was read.
    if (error && error.code !== 'ENOENT') throw error;
    if (!error) answer(request.readUInt32LE(4), request.subarray(IN_HEADER));
    serve();
  });
}

function answer(opcode: number, body: Buffer): void {
  if (UNANSWERED.includes(opcode)) return;
  const result = resultOf(opcode, body);
  const header = Buffer.alloc(OUT_HEADER);
  header.writeUInt32LE(OUT_HEADER + (result?.length ?? 0), 0);
  header.writeInt32LE(result ? 0 : -ENOSYS, 4);
  request.copy(header, 8, 8, 16);
  writeSync(fuse, Buffer.concat(result ? [header, result] : [header]));
}

/** Returns null for an operation that it does not support. */
function resultOf(opcode: number, body: Buffer): Buffer | null {
  if (opcode === INIT) return initialized();
  if (opcode === GETATTR) return attributes();
  if (opcode === OPEN) return numbers(16, [8, FOPEN_DIRECT_IO]);
  if (opcode === RELEASE || opcode === FLUSH) return Buffer.alloc(0);
  const [at, length] = [Number(body.readBigUInt64LE(8)), body.readUInt32LE(16)];
  if (opcode === READ) return readAt(at, length);
  if (opcode === WRITE) {
    cache.push({ at, bytes: Buffer.from(body.subarray(IO_HEADER, IO_HEADER + length)) });
    return numbers(8, [0, length]);
  }
  if (opcode !== FSYNC) return null;
  for (const one of cache) writeSync(disk, one.bytes, 0, one.bytes.length, one.at);
  cache = [];
  return Buffer.alloc(0);
}

function readAt(at: number, length: number): Buffer {
  const found = Buffer.alloc(Math.max(0, Math.min(length, size - at)));
  readSync(disk, found, 0, found.length, at);
  for (const { at: from, bytes } of cache) {
    const [start, end] = [Math.max(at, from), Math.min(at + found.length, from + bytes.length)];
    if (start < end) bytes.copy(found, start - at, start - from, end - from);
  }
  return found;
}

function initialized(): Buffer {
  const result = numbers(64, [0, 7], [4, 31], [8, MAX_BYTES], [12, FUSE_BIG_WRITES | FUSE_MAX_PAGES]);
  result.writeUInt16LE(16, 16);
  result.writeUInt16LE(12, 18);
  result.writeUInt32LE(MAX_BYTES, 20);
  result.writeUInt16LE(MAX_BYTES / 4096, 28);
  return result;
}

function attributes(): Buffer {
  const result = numbers(104, [16 + 60, 0o100600], [16 + 64, 1], [16 + 80, SECTOR]);
  result.writeBigUInt64LE(1n, 16);
  result.writeBigUInt64LE(BigInt(size), 24);
  return result;
}

function numbers(bytes: number, ...values: [at: number, value: number][]): Buffer {
  const result = Buffer.alloc(bytes);
  for (const [at, value] of values) result.writeUInt32LE(value, at);
  return result;
}
