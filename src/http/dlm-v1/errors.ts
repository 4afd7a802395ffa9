import { paramsOf } from '../../words/problems.ts';
import type { Answer } from '../errors.ts';
import { type AnyRefusal, repeatsStatus, worded } from '../refusals.ts';

/** Errors of contract section 4. Clients depend on them: do not change them. */

export interface ErrorBody {
  code: string;
  message: string;
  data: {
    status: number;
    /** The status again, in those errors in which existing clients read it from `code`. */
    code?: number;
    /** The problem of each parameter. */
    params?: Record<string, string>;
  };
}

/** What names a record in this API, for kinds of record that are not named by id. */
const NAMES: Record<string, string> = { license: 'license key', activation: 'activation token' };

export function answerOf(refusal: AnyRefusal): Answer & { body: ErrorBody } {
  const { status, code, message, fields } = worded(byName(refusal));
  const data = {
    status,
    ...((repeatsStatus(refusal) || isUnknownKey(refusal)) && { code: status }),
    ...(fields && { params: paramsOf(fields) }),
  };
  return { status, body: { code, message, data } };
}

function byName(refusal: AnyRefusal): AnyRefusal {
  if (refusal.code !== 'record_not_found') return refusal;
  const { kind, named } = refusal.args;
  const name = typeof named === 'string' && NAMES[kind];
  return name ? { code: refusal.code, args: { kind: name, named } } : refusal;
}

const isUnknownKey = ({ code, args }: AnyRefusal): boolean =>
  code === 'record_not_found' && args.kind === 'license' && typeof args.named === 'string';
