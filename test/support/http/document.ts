import type { Record_ } from './api.ts';

/** An OpenAPI document with the components in the places that refer to them. */
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
