import { type AuditReport, chainEntries, REACH, verifyAudit } from '../../src/app/audit/audit-chain.ts';
import type { Services } from '../../src/app/execute.ts';
import type { AuditHead } from '../../src/domain/audit.ts';
import { ENGINE, runSql } from './engine.ts';

const TABLES = ['audit_entries', 'audit_chain'] as const;

/** Changes the audit trail as an attacker with access to the database could: without the triggers that protect it. */
export async function tamper(dataDir: string, sql: string): Promise<void> {
  const triggers = TABLES.flatMap((table) =>
    ENGINE === 'sqlite'
      ? ['update', 'delete'].map((change) => `drop trigger if exists ${table}_no_${change}`)
      : [`drop trigger if exists ${table}_no_change on ${table}`],
  );
  for (const one of [...triggers, sql]) await runSql(dataDir, one);
}

/** Adds every entry to the chain, and verifies the trail. */
export async function verified(
  service: Pick<Services, 'store' | 'execute' | 'clock'>,
  noted: AuditHead | null = null,
): Promise<AuditReport> {
  await chainEntries(service, REACH.most);
  return verifyAudit(service, noted);
}
