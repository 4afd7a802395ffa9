import type { FastifyBaseLogger } from 'fastify';
import { chainEntries, REACH } from './app/audit-chain.ts';
import { discardOldDownloads } from './app/downloads.ts';
import type { Services } from './app/execute.ts';
import { removeLeftovers } from './app/leftovers.ts';
import { discardAbandoned } from './app/license-batch.ts';
import { SYSTEM } from './app/set-up.ts';
import type { Config } from './config.ts';
import { headText } from './domain/audit.ts';
import { toDatetime } from './domain/datetime.ts';

/** Milliseconds from one time to the next. */
export const HOUSEKEEPING_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** What nobody asks for: removes what crashes have left, and records that are old. What fails is tried the next time. */
export async function keepHouse(
  service: Services,
  { downloadDays }: Pick<Config, 'downloadDays'>,
  log: FastifyBaseLogger,
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
    discardAbandoned(execute, daysAgo(1), SYSTEM),
    ...(downloadDays > 0 ? [discardOldDownloads(execute, daysAgo(downloadDays), SYSTEM)] : []),
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
