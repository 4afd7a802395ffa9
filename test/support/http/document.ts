import type { Record_ } from './api.ts';

/** Returns an OpenAPI document with every reference replaced by its component. */
export function resolved(document: Record_): Record_ {
  const resolve = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map(resolve);
    const { $ref } = node as { $ref?: unknown };
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolve(value)]));
    const [root, ...names] = $ref.split('/');
    if (root !== '#') throw new Error(`not in the document: ${$ref}`);
    return resolve(names.reduce((part, name) => part[name], document));
  };
  return resolve(document) as Record_;
}

/** Returns the field names of a record and of the records within it, sorted. */
export function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? `[${shapeOf(value[0])}]` : '[]';
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .filter(([name]) => !['before', 'after', 'about', 'meta_data', 'icons', 'details'].includes(name))
    .map(([name, one]) => `${name}{${shapeOf(one)}}`)
    .toSorted()
    .join();
}

/** Returns the fields of an object's schema, or of all its variants. */
export const fieldsOf = ({ properties = {}, anyOf = [] }: Record_): string[] => [
  ...Object.keys(properties),
  ...anyOf.flatMap(fieldsOf),
];
