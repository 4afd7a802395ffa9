import { parameterName, type Shape } from '../domain/fields.ts';

/** The schema of the parameters of a shape. For an update nothing is required, and null clears. */
export function parameterSchema(shape: Shape, use: 'create' | 'update' | 'query'): Record<string, unknown> {
  const entries = Object.entries(shape);
  const names = entries
    .filter(([, entry]) => entry.required && use === 'create')
    .map(([name]) => parameterName(name));
  return {
    type: 'object',
    ...(names.length > 0 && { required: names }),
    properties: Object.fromEntries(entries.map(([name, { field }]) => [parameterName(name), field.schema])),
  };
}
