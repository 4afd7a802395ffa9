import type { FastifyBaseLogger } from 'fastify';

/** Background jobs. */
const JOBS = [
  'audit_chain',
  'backup',
  'clock',
  'downloads',
  'event_retention',
  'events',
  'expiries',
  'idempotency_keys',
  'leftovers',
  'revocations',
  'row_conversion',
  'sessions',
  'signing_key',
  'staged_licenses',
  'staged_records',
  'trash',
  'usage_counts',
] as const;
export type Job = (typeof JOBS)[number];

/** How often each job has failed since the start of this process. */
export type JobFailures = Record<Job, number>;

export const noFailures = (): JobFailures => Object.fromEntries(JOBS.map((job) => [job, 0])) as JobFailures;

/** Returns a function that counts and logs a failure of a job, which will soon run again. */
export const noteFailure =
  (job: Job, failures: JobFailures, log: Pick<FastifyBaseLogger, 'warn'>) =>
  (error: unknown): void => {
    failures[job]++;
    log.warn({ err: error, job }, 'housekeeping failed and will be tried again');
  };
