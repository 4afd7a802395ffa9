import type { Problems } from '../../domain/problem.ts';
import { inSentences, paramsOf } from '../../words/problems.ts';
import { type Answer, OwnAnswer } from '../errors.ts';
import { type AnyRefusal, repeatsStatus, worded } from '../refusals.ts';

/** Errors of contract section 4. Clients depend on them: do not change them. */

export interface ErrorBody {
  code: string;
  message: string;
  data: {
    status: number;
    /** The status again, in the errors in which existing clients read it. */
    code?: number;
    /** The problem of each parameter. */
    params?: Record<string, string>;
  };
}
type ErrorAnswer = Answer & { body: ErrorBody };

const error = (
  status: number,
  code: string,
  message: string,
  more: Omit<ErrorBody['data'], 'status'> = {},
): ErrorAnswer => ({ status, body: { code, message, data: { status, ...more } } });

/** What names a record of this API, if not its id. */
const NAMES: Record<string, string> = { license: 'license key', activation: 'activation token' };

export function answerOf(refusal: AnyRefusal): ErrorAnswer {
  const { status, code, message, fields } = worded(byName(refusal));
  return error(status, code, message, {
    ...((repeatsStatus(refusal) || isUnknownKey(refusal)) && { code: status }),
    ...(fields && { params: paramsOf(fields) }),
  });
}

function byName(refusal: AnyRefusal): AnyRefusal {
  if (refusal.code !== 'record_not_found') return refusal;
  const { kind, named } = refusal.args;
  const name = typeof named === 'string' && NAMES[kind];
  return name ? { code: refusal.code, args: { kind: name, named } } : refusal;
}

const isUnknownKey = ({ code, args }: AnyRefusal): boolean =>
  code === 'record_not_found' && args.kind === 'license' && typeof args.named === 'string';

/** 400: invalid paging. */
export const invalidPaging = (fields: Problems): OwnAnswer =>
  new OwnAnswer(error(400, 'rest_invalid_param', inSentences(fields), { params: paramsOf(fields) }));

export const generatorNameMissing = (): OwnAnswer =>
  new OwnAnswer(error(404, 'rest_data_error', 'The generator name is missing.'));
