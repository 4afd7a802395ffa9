import { changesOf } from '../../ui/forms/form-values.ts';
import type { Endpoint, EndpointInput, EventType } from './queries.ts';

export const KINDS = ['webhook', 'poll'] as const;

export interface Header {
  name: string;
  value: string;
}
export const NEW = {
  kind: 'webhook' as (typeof KINDS)[number],
  url: '',
  description: '',
  /** Null for all events or products. */
  types: null as EventType[] | null,
  products: null as number[] | null,
  is_ordered: false,
  is_enabled: true,
  /** Null keeps the stored headers. */
  headers: [] as Header[] | null,
};
export type Values = typeof NEW;

export const valuesOf = (endpoint: Endpoint): Values => ({
  kind: endpoint.kind,
  url: endpoint.url ?? '',
  description: endpoint.description,
  types: endpoint.types,
  products: endpoint.products,
  is_ordered: endpoint.is_ordered,
  is_enabled: endpoint.state !== 'disabled',
  headers: endpoint.header_names.length === 0 ? [] : null,
});

/** Returns the headers that have a name or a value. */
export const filledOf = (headers: readonly Header[]): Header[] =>
  headers.map(({ name, value }) => ({ name: name.trim(), value })).filter(({ name, value }) => name || value);

export function inputOf({ kind, url, is_ordered, headers, ...values }: Values): EndpointInput {
  if (kind === 'poll') return { kind, ...values };
  const filled = headers && filledOf(headers).map(({ name, value }) => [name, value]);
  return {
    kind,
    ...values,
    url: url.trim(),
    is_ordered,
    ...(filled && { headers: Object.fromEntries(filled) }),
  };
}

/** Only the changed fields. */
export const changedInput = (before: Values, values: Values): EndpointInput =>
  changesOf(inputOf(before), inputOf(values));
