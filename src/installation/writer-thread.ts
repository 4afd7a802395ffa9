import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { runJob } from '../app/execute.ts';
import { runWriter } from '../store/sqlite/writer.ts';

/** The wiring of the writer thread: SQLite's writer with the commands. */
runWriter(parentPort as MessagePort, workerData, runJob);
