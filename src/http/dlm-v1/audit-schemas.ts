import Type from 'typebox';
import { AUDIT_ACTIONS, SUBJECT_TYPES, USAGES } from '../../domain/audit.ts';

const integerOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description });
const values = (description: string) => Type.Unsafe<object | null>({ type: ['object', 'null'], description });

export const AuditEntry = Type.Object({
  id: Type.Integer(),
  at: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC', examples: ['2031-02-03 04:05:06'] }),
  action: Type.String({ enum: [...AUDIT_ACTIONS] }),
  user_id: Type.Integer(),
  via: Type.String({ enum: ['api', 'cli', 'system'] }),
  api_key_id: integerOrNull('The API key that it was done with; null where it was none'),
  origin: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The address of the client; user@host of a command line; null for the system',
  }),
  subject_type: Type.String({ enum: [...SUBJECT_TYPES] }),
  subject_id: integerOrNull('Null where it was many records at once'),
  before: values('The record as it was, or of an update the values that differ; null where it was made'),
  after: values('The same as it is since; null where it was deleted'),
  about: values('What else there is to tell'),
});
export const UsageCount = Type.Object({
  day: Type.String({ description: 'YYYY-MM-DD, UTC' }),
  counted: Type.String({ enum: [...USAGES] }),
  count: Type.Integer(),
});
