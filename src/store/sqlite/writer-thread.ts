import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Job, StoreDamaged, StoreUnavailable } from '../store.ts';
import type { FromWriter, NumberedJob, SentError, ToWriter, WriterSetup } from './writer.ts';

/** Returns the module of the writer thread, which calls `runWriter`: its address or its code. */
export type WriterEntry = () => URL | string;

/** Jobs that may wait for the writer. Past that, new ones are refused. */
const WAITING_MAX = 10_000;
/** Megabytes for young objects of the writer, which holds few: a quarter of what `src/runtime.js` gives the main thread. */
const WRITER_YOUNG_MB = 6;

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The writer thread, from outside: sends it jobs and resolves with their results. */
export class WriterThread {
  readonly #entry: WriterEntry;
  /** Called for each thread: the keys may have changed since the store was opened. */
  readonly #setup: () => WriterSetup;
  readonly #pending = new Map<number, Pending>();
  /** Jobs of this turn of the event loop, sent in one message: a message costs more than its content. */
  #outgoing: NumberedJob[] = [];
  /** Null until the first job, and after the thread has stopped by itself. The next job starts a new one. */
  #worker: Worker | null = null;
  #nextId = 1;
  #closing = false;

  constructor(entry: WriterEntry, setup: () => WriterSetup) {
    this.#entry = entry;
    this.#setup = setup;
  }

  /** Jobs without an answer. */
  get pending(): number {
    return this.#pending.size;
  }

  run(job: Job): Promise<unknown> {
    if (this.#closing) return Promise.reject(new StoreUnavailable('the store is closing'));
    if (this.#pending.size >= WAITING_MAX)
      return Promise.reject(new StoreUnavailable('too many changes are waiting'));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      if (this.#outgoing.length === 0) setImmediate(() => this.#send());
      this.#outgoing.push({ id, job });
    });
  }

  #send(): void {
    const jobs = this.#outgoing;
    if (jobs.length === 0) return;
    this.#outgoing = [];
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage(jobs satisfies ToWriter);
    } catch (error) {
      for (const { id } of jobs) {
        this.#pending.get(id)?.reject(error as Error);
        this.#pending.delete(id);
      }
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#send();
    if (!this.#worker) return;
    const exited = once(this.#worker, 'exit');
    this.#worker.postMessage('close' satisfies ToWriter);
    await exited;
  }

  #start(): Worker {
    const entry = this.#entry();
    const worker = new Worker(entry, {
      eval: typeof entry === 'string',
      workerData: this.#setup(),
      resourceLimits: { maxYoungGenerationSizeMb: WRITER_YOUNG_MB },
    });
    worker.on('message', (answers: FromWriter) => {
      for (const answer of answers) {
        const pending = this.#pending.get(answer.id);
        this.#pending.delete(answer.id);
        if ('result' in answer) pending?.resolve(answer.result);
        else pending?.reject(toError(answer.error));
      }
    });
    let failure: Error | undefined;
    worker.on('error', (error) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    // The job of an unreadable answer is unknown, so all of them fail.
    worker.on('messageerror', (error) => {
      failure = error;
      void worker.terminate();
    });
    worker.on('exit', () => {
      // These jobs may or may not have been committed.
      const error = new StoreUnavailable('the writer stopped', { cause: failure });
      for (const { reject } of this.#pending.values()) reject(error);
      this.#pending.clear();
      this.#worker = null;
    });
    return worker;
  }
}

function toError({ kind, message, stack }: SentError): Error {
  const kinds = { unavailable: StoreUnavailable, damaged: StoreDamaged, other: Error };
  const error = new kinds[kind](message);
  if (stack) error.stack = stack;
  return error;
}
