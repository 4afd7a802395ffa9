import type { Static, TObject } from 'typebox';
import { type CamelCased, camelName } from '../domain/names.ts';

type ReadOnly<Value> = Value extends (infer Item)[] ? readonly Item[] : Value;
/** A domain record: in camelCase, with read-only lists, and with null where the answer has an empty value. */
type Presentable<Answer> = CamelCased<{
  [Name in keyof Answer]: ReadOnly<Answer[Name]> | (Answer[Name] extends string | object ? null : never);
}>;

const EMPTY: Record<string, unknown> = { string: '', object: {} };

/**
 * Returns a function that presents records by the schema of their answer and in its order: `chunk_length` is the field
 * `chunkLength`. If the schema allows no null, null becomes "" or {}. Licenses and activations are presented by hand for
 * speed.
 */
export function presenter<Schema extends TObject>(schema: Schema) {
  const fields = Object.entries(schema.properties).map(
    ([name, property]) => [name, camelName(name), EMPTY[(property as { type?: string }).type ?? '']] as const,
  );
  return (record: Presentable<Static<Schema>>): Static<Schema> => {
    const answer: Record<string, unknown> = {};
    for (const [name, field, empty] of fields) {
      answer[name] = (record as Record<string, unknown>)[field] ?? empty ?? null;
    }
    return answer as Static<Schema>;
  };
}
