import type { Answer } from './server.ts';
import type { State } from './state.ts';
import { peek, verifyRevocations } from './verify.ts';

type Entries = NonNullable<State['revocations']>;

/** Returns only the entries for a lease from a revocation list, because the whole list can be megabytes long. */
export async function entriesFor(
  answer: Answer,
  trust: Parameters<typeof verifyRevocations>[1],
  lease: string,
): Promise<{ ok: true; entries: Entries; revokedKeys: readonly string[] } | { ok: false; reason: string }> {
  if (!answer.ok) return answer;
  const verified = await verifyRevocations(String(answer.body.text), trust);
  if (!verified.ok) return { ok: false, reason: 'untrusted_answer' };
  const { seq, exp, lic, act } = verified.list;
  const about = peek(lease);
  const entries: Entries = {
    seq,
    exp,
    lic: lic.filter(([number]) => about.lic === `lic_${number}`),
    act: act.filter(([number]) => about.sub === `act_${number}`),
  };
  return { ok: true, entries, revokedKeys: verified.revokedKeys };
}
