import type { FastifyBaseLogger } from 'fastify';
import { chainEntries, REACH } from '../app/audit/audit-chain.ts';
import { discardOldStaged } from '../app/batches/license-batch.ts';
import type { CommandInput } from '../app/commands.ts';
import { discardAll } from '../app/discarding.ts';
import type { Services } from '../app/execute.ts';
import { renewSigningKey } from '../app/keys/renew-signing-key.ts';
import { convertAllRows } from '../app/licenses/convert-rows.ts';
import { tidyTrash } from '../app/licenses/trash.ts';
import { removeLeftovers } from '../app/releases/leftovers.ts';
import { KEY_DAYS } from '../app/repeated-requests.ts';
import type { Config } from '../config/config.ts';
import { SYSTEM } from '../domain/actor.ts';
import { headText } from '../domain/audit.ts';
import { DAY_MS, toDatetime } from '../domain/datetime.ts';
import { type Job, noFailures, noteFailure } from './job-failures.ts';

/** The interval of housekeeping in milliseconds. */
export const HOUSEKEEPING_MS = 3_600_000;
const RUNS_A_DAY = DAY_MS / HOUSEKEEPING_MS;

/** If the clock advances this many milliseconds further than the monotonic clock, it was set. */
const JUMP_MS = HOUSEKEEPING_MS;

/**
 * Returns a function that does the housekeeping. For a day after the clock has jumped forward, or if the clock cannot be
 * checked, the function removes nothing by age: the clock may be wrong, and records in use would look old.
 * @param options.steady returns the time of a monotonic clock, in milliseconds
 */
export function createHousekeeper(
  service: Services,
  config: Pick<Config, 'downloadDays' | 'eventDays' | 'trashDays'>,
  log: FastifyBaseLogger,
  { steady = () => performance.now(), failures = noFailures() } = {},
): () => Promise<void> {
  const ahead = () => service.clock() - steady();
  let known = ahead();
  let runs = 0;
  const check = async () => {
    const gained = ahead() - known;
    const checked = await service.execute('check-clock', { jumped: gained > JUMP_MS }, SYSTEM);
    known += gained;
    if (checked.hasJumped)
      log.warn(
        { hours: Math.round(Math.max(gained / 1_000, checked.passed) / 3_600) },
        'the clock has jumped forward, or the server was stopped for more than a day: for a day nothing is removed by age; if the clock is wrong, set it',
      );
    return checked.byAge;
  };
  return async () => {
    const byAge = (await check().catch(noteFailure('clock', failures, log))) === true;
    await keepHouse(service, config, log, { byAge, warns: runs++ % RUNS_A_DAY === 0, failures });
  };
}

/**
 * Removes leftovers of crashes, and old records. What fails is retried by the next run.
 * @param options.byAge whether to remove old records
 * @param options.warns whether to warn of problems that only an operator can solve
 */
export async function keepHouse(
  service: Services,
  { downloadDays, eventDays, trashDays }: Pick<Config, 'downloadDays' | 'eventDays' | 'trashDays'>,
  log: FastifyBaseLogger,
  { byAge = true, warns = true, failures = noFailures() } = {},
): Promise<void> {
  const { execute, clock } = service;
  const daysAgo = (days: number) => toDatetime(clock() - days * DAY_MS);
  const discard = (what: CommandInput<'discard-old'>['what'], days = 0) =>
    discardAll(() => execute('discard-old', { what, before: daysAgo(days) }, SYSTEM));
  const jobs: Partial<Record<Job, Promise<unknown>>> = {
    // Do not remove leftovers by age: the bucket may contain files of another database.
    leftovers: removeLeftovers(service, { byAge: false }).then(({ partialUploads, orphans }) => {
      if (partialUploads + orphans.length > 0)
        log.info({ partialUploads, orphans: orphans.length }, 'removed leftovers of interrupted uploads');
    }),
    audit_chain: chainAndLog(service, REACH.seldom, log),
    row_conversion: convertAllRows(execute).then((rows) => {
      if (rows > 0)
        log.info(
          { rows },
          'converted rows of an earlier version: docs/operate/upgrading.md says how to remove what is left of their old form',
        );
    }),
    ...(byAge && {
      sessions: discard('sessions'),
      // Not while the clock may be wrong: programs would refuse a certificate from the future.
      signing_key: renewSigningKey(service).then(({ renewed, endsIn }) => {
        if (renewed)
          log.info({ signingKey: renewed }, 'renewed the signing key, whose certificate ends soon');
        if (warns && endsIn !== null)
          log.warn(
            { days: endsIn },
            'the certificate of the signing key ends soon, and programs then refuse all leases: latchkey signing-key rotate --root-file FILE',
          );
      }),
      idempotency_keys: discard('idempotency_keys', KEY_DAYS),
      revocations: discard('revocations'),
      event_retention: discard('events', eventDays),
      staged_licenses: discardOldStaged(service, { before: daysAgo(1), noted: daysAgo(1 / 24) }),
      staged_records: discardAll(() => execute('discard-staged-records', { before: daysAgo(7) }, SYSTEM)),
      trash: tidyTrash(service.store.read, execute, daysAgo(trashDays)),
      ...(downloadDays > 0 && { downloads: discard('downloads', downloadDays) }),
    }),
  };
  await Promise.all(
    Object.entries(jobs).map(([job, work]) => work.catch(noteFailure(job as Job, failures, log))),
  );
}

/** Chains the audit trail and logs its head: the log shows it if somebody later cuts off the end of the trail. */
export async function chainAndLog(
  service: Pick<Services, 'store' | 'execute'>,
  reach: number,
  log: FastifyBaseLogger,
): Promise<void> {
  await chainEntries(service, reach);
  const head = await service.store.read.audit.last();
  if (head) log.info({ event: 'audit_head', head: headText(head) }, 'newest entry of the audit trail');
}
