import type { Static, TSchema } from 'typebox';
import { type CamelCased, camelName } from '../domain/names.ts';

/** An answer in domain names: in camelCase, with read-only lists, and with null where the answer has an empty value. */
export type Presentable<Answer> = Answer extends (infer Item)[]
  ? readonly Presentable<Item>[]
  : Answer extends object
    ? string extends keyof Answer
      ? Answer
      : CamelCased<{
          [Name in keyof Answer]:
            | Presentable<Answer[Name]>
            | (Answer[Name] extends string | object ? null : never);
        }>
    : Answer;

/** The parts of a schema that say how to present a value. */
interface Described {
  type?: unknown;
  properties?: Record<string, Described>;
  required?: string[];
  items?: Described;
  anyOf?: Described[];
}
type Present = (value: unknown) => unknown;

const EMPTY: Record<string, unknown> = { string: '', object: {} };
const asIs: Present = (value) => value;

/**
 * Returns a function that presents values by the schema of their answer and in its order: `chunk_length` is the field
 * `chunkLength`. If the schema allows no null, null becomes "" or {}. Objects whose fields the schema does not name stay as
 * they are. Licenses and activations of the v1 API are presented by hand for speed.
 */
export const presenter = <Schema extends TSchema>(schema: Schema) =>
  presenterOf(schema as Described) as (value: Presentable<Static<Schema>>) => Static<Schema>;

function presenterOf({ properties = {}, items, anyOf }: Described): Present {
  if (Object.keys(properties).length > 0) return ofObject(properties);
  if (anyOf) return ofUnion(anyOf);
  const present = items ? presenterOf(items) : asIs;
  return present === asIs ? asIs : (list) => (list as unknown[]).map(present);
}

function ofObject(properties: Record<string, Described>): Present {
  const fields = Object.entries(properties).map(([name, property]) => {
    const empty = EMPTY[String(property.type)] ?? null;
    return [name, camelName(name), empty, presenterOf(property)] as const;
  });
  return (record) => {
    const answer: Record<string, unknown> = {};
    for (const [name, field, empty, present] of fields) {
      const value = (record as Record<string, unknown>)[field];
      answer[name] = value == null ? empty : present(value);
    }
    return answer;
  };
}

/** Presents an object as the first schema that it fits, or else as the first: fields that none names are never shown. */
function ofUnion(schemas: Described[]): Present {
  const members = schemas
    .map(({ required = [], ...rest }) => ({ required, present: presenterOf(rest) }))
    .filter(({ present }) => present !== asIs);
  if (members.length === 0) return asIs;
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const fitting = members.find(({ required }) => required.every((name) => camelName(name) in value));
    return (fitting ?? members[0])?.present(value);
  };
}
