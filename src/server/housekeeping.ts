import type { FastifyBaseLogger } from 'fastify';
import { chainEntries, REACH } from '../app/audit/audit-chain.ts';
import { discardStaged } from '../app/batches/staged-licenses.ts';
import type { Services } from '../app/execute.ts';
import { fillAllKeySuffixes } from '../app/licenses/fill-key-suffixes.ts';
import { SYSTEM } from '../app/people/set-up.ts';
import { discardOldDownloads } from '../app/releases/download-records.ts';
import { removeLeftovers } from '../app/releases/leftovers.ts';
import type { Config } from '../config/config.ts';
import { headText } from '../domain/audit.ts';
import { toDatetime } from '../domain/datetime.ts';

/** Milliseconds from one time to the next. */
export const HOUSEKEEPING_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A clock that has gained more than this many milliseconds on the time that has passed was set. */
const JUMP_MS = HOUSEKEEPING_MS;

/**
 * Keeps house whenever it is called. Where the clock has jumped forward, what is under way looks old, and so does what an
 * owner with a wrong clock still wants: for a day nothing is removed for its age.
 * @param steady milliseconds that have passed since some moment, whatever the clock says
 */
export function createHousekeeper(
  service: Services,
  config: Pick<Config, 'downloadDays'>,
  log: FastifyBaseLogger,
  steady: () => number = () => performance.now(),
): () => Promise<void> {
  const ahead = () => service.clock() - steady();
  let known = ahead();
  let quietUntil = Number.NEGATIVE_INFINITY;
  return () => {
    const gained = ahead() - known;
    known += gained;
    if (gained > JUMP_MS) {
      quietUntil = steady() + DAY_MS;
      log.warn(
        { hours: Math.round(gained / HOUSEKEEPING_MS) },
        'the clock has jumped forward: for a day nothing is removed for its age; if the clock is wrong, set it',
      );
    }
    return keepHouse(service, config, log, steady() >= quietUntil);
  };
}

/**
 * What nobody asks for: removes what crashes have left, and records that are old. What fails is tried the next time.
 * @param byAge whether what is old may be removed
 */
export async function keepHouse(
  service: Services,
  { downloadDays }: Pick<Config, 'downloadDays'>,
  log: FastifyBaseLogger,
  byAge = true,
): Promise<void> {
  const { execute, clock } = service;
  const daysAgo = (days: number) => toDatetime(clock() - days * DAY_MS);
  const jobs = [
    // Only what is certain: by age alone, files of another database in the same bucket would go, too.
    removeLeftovers(service, { byAge: false }).then(({ partialUploads, orphans }) => {
      if (partialUploads + orphans.length > 0)
        log.info({ partialUploads, orphans: orphans.length }, 'removed what a crash left of uploads');
    }),
    chainAndLog(service, REACH.seldom, log),
    fillAllKeySuffixes(execute, SYSTEM),
    execute('discard-sessions', null, SYSTEM),
    ...(byAge ? [discardStaged(execute, { before: daysAgo(1) }, SYSTEM)] : []),
    ...(byAge && downloadDays > 0 ? [discardOldDownloads(execute, daysAgo(downloadDays), SYSTEM)] : []),
  ];
  for (const { reason } of (await Promise.allSettled(jobs)).filter((one) => one.status === 'rejected'))
    log.warn({ err: reason }, 'housekeeping failed and will be tried again');
}

/** Chains the audit trail, and has the log say where it ends: whoever cuts off its end does not get at what was logged. */
export async function chainAndLog(
  service: Pick<Services, 'store' | 'execute'>,
  reach: number,
  log: FastifyBaseLogger,
): Promise<void> {
  await chainEntries(service, reach);
  const head = await service.store.read.audit.last();
  if (head) log.info({ head: headText(head) }, 'the audit trail ends here');
}
