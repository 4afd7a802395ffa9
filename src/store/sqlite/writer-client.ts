import { type EventEmitter, once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type Job, StoreDamaged, StoreUnavailable } from '../store.ts';
import type { FromWriter, NumberedJob, SentError, ToWriter, WriterSetup } from './writer.ts';

/**
 * Returns the module of the writer thread, which calls `runWriter`, as an address or as code. Or returns a function
 * that calls `runWriter` in this thread, for a program that has nothing else to do meanwhile: starting a thread takes
 * longer than most changes.
 */
export type WriterEntry = () => URL | string | RunHere;
export type RunHere = (port: MessagePort, setup: WriterSetup) => void;

/** Maximum number of jobs that wait for the writer. Further jobs are refused. */
const WAITING_MAX = 10_000;
/** Megabytes for young objects of the writer, which holds few: a quarter of what `src/runtime.js` gives the main thread. */
const WRITER_YOUNG_MB = 6;

/** A writer that was started. */
interface Writer {
  /** Emits `message`, `error`, `messageerror` and, at the end, the event of `end`. */
  events: EventEmitter;
  end: 'exit' | 'close';
  post(message: ToWriter): void;
  terminate(): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * The writer, from outside: sends it jobs and resolves with their results.
 * @param setup called for each writer: the keys may have changed since the store was opened
 */
export function createWriterClient(entry: WriterEntry, setup: () => WriterSetup) {
  const pending = new Map<number, Pending>();
  /** Jobs of this turn of the event loop, sent in one message: a message costs more than its content. */
  let outgoing: NumberedJob[] = [];
  /** Null until the first job, and after the writer has stopped by itself. The next job starts a new one. */
  let writer: Writer | null = null;
  let nextId = 1;
  let isClosing = false;

  function send(): void {
    const jobs = outgoing;
    if (jobs.length === 0) return;
    outgoing = [];
    try {
      writer ??= start();
      writer.post(jobs);
    } catch (error) {
      for (const { id } of jobs) {
        pending.get(id)?.reject(error as Error);
        pending.delete(id);
      }
    }
  }

  function start(): Writer {
    const started = startWriter(entry(), setup());
    const { events } = started;
    events.on('message', (answers: FromWriter) => {
      for (const answer of answers) {
        const waiting = pending.get(answer.id);
        pending.delete(answer.id);
        if ('result' in answer) waiting?.resolve(answer.result);
        else waiting?.reject(toError(answer.error));
      }
    });
    let failure: Error | undefined;
    events.on('error', (error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    // The job of an unreadable answer is unknown, so all of them fail.
    events.on('messageerror', (error: Error) => {
      failure = error;
      started.terminate();
    });
    events.on(started.end, () => {
      // These jobs may or may not have been committed.
      const error = new StoreUnavailable('the writer stopped', { cause: failure });
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
      writer = null;
    });
    return started;
  }

  return {
    /** Number of jobs without an answer. */
    pending: () => pending.size,
    run(job: Job): Promise<unknown> {
      if (isClosing) return Promise.reject(new StoreUnavailable('the store is closing'));
      if (pending.size >= WAITING_MAX)
        return Promise.reject(new StoreUnavailable('too many changes are waiting'));
      const id = nextId++;
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        if (outgoing.length === 0) setImmediate(send);
        outgoing.push({ id, job });
      });
    },
    async close(): Promise<void> {
      isClosing = true;
      send();
      if (!writer) return;
      const { events, end, post } = writer;
      const ended = once(events, end);
      post('close');
      await ended;
    },
  };
}

/** Starts a thread, or a writer in this thread. */
function startWriter(entry: ReturnType<WriterEntry>, setup: WriterSetup): Writer {
  if (typeof entry === 'function') {
    const { port1: port, port2 } = new MessageChannel();
    entry(port2, setup);
    // Node.js gives ports the methods of an EventEmitter.
    const events = port as unknown as EventEmitter;
    return {
      events,
      end: 'close',
      post: (message) => port.postMessage(message),
      terminate: () => port.close(),
    };
  }
  const thread = new Worker(entry, {
    eval: typeof entry === 'string',
    workerData: setup,
    resourceLimits: { maxYoungGenerationSizeMb: WRITER_YOUNG_MB },
  });
  const terminate = () => void thread.terminate();
  return { events: thread, end: 'exit', post: (message) => thread.postMessage(message), terminate };
}

function toError({ kind, message, stack }: SentError): Error {
  const kinds = { unavailable: StoreUnavailable, damaged: StoreDamaged, other: Error };
  const error = new kinds[kind](message);
  if (stack) error.stack = stack;
  return error;
}
