import { type Actor, isPerson } from '../../domain/actor.ts';
import { detailsOf, type Fact, isAudited, subjectTypeOf } from '../../domain/audit.ts';
import type { Datetime } from '../../domain/datetime.ts';
import type { AuditRow } from '../../store/store.ts';
import type { AuditPolicy } from '../command.ts';

/** Returns the audit entries for the facts of one command; none for an update that changed no value. */
export function entriesOf(
  policy: AuditPolicy,
  facts: readonly Fact[],
  actor: Actor,
  at: Datetime,
): AuditRow[] {
  const isAll = policy === 'always' || (policy === 'people' && isPerson(actor));
  const { userId, via, apiKeyId, origin } = actor;
  return facts.flatMap((fact) => {
    const { action, id, always } = fact;
    if (!isAudited(action) || (!isAll && !always)) return [];
    const details = detailsOf(fact);
    const subject = { type: subjectTypeOf(action), id };
    return details ? { at, action, userId, via, apiKeyId, origin, subject, details } : [];
  });
}
