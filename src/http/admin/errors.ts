import { parameterName } from '../../domain/fields.ts';
import type { Problem, Problems } from '../../domain/problem.ts';
import { paramsOf } from '../../words/problems.ts';
import type { Answer } from '../errors.ts';
import { type AnyRefusal, repeatsStatus, worded } from '../refusals.ts';

/**
 * Answers a refusal in the console's API. The console translates `data.reason` and `data.reasons`, which are codes with
 * arguments. The English words are for people who call this API themselves.
 */
export function answerOf(refusal: AnyRefusal): Answer {
  const { status, code, message, fields } = worded(refusal);
  const data = {
    status,
    ...(repeatsStatus(refusal) && { code: status }),
    ...(fields && { params: paramsOf(fields), reasons: reasonsOf(fields) }),
    ...(refusal.code !== 'invalid' && { reason: reasonOf(refusal) }),
  };
  return { status, body: { code, message, data } };
}

/** Returns the reason of a refusal. The code of a missing record names its kind: `license_not_found`. */
function reasonOf({ code, args }: AnyRefusal): { code: string; args: object } {
  if (code === 'record_not_found') return { code: `${args.kind}_not_found`, args: { named: args.named } };
  return { code, args };
}

/** Returns the problems with the parameter names of this API. */
const reasonsOf = (fields: Problems): Record<string, Problem> =>
  Object.fromEntries(
    Object.entries(fields).map(([field, { code, args }]) => {
      const named = 'fields' in args ? { fields: reasonsOf(args.fields) } : args;
      return [parameterName(field), { code, args: named } as Problem];
    }),
  );
