import i18next from 'i18next';

/** A reason from the server: a code, and arguments for its text. */
export interface Reason {
  code: string;
  args: Readonly<Record<string, unknown>>;
}

/** Returns the text of a reason (`messages/…/errors.ts`); null if the console does not know the code. */
export function reasonText({ code, args }: Reason): string | null {
  // Some codes have several texts: one per fault of a CSV file or an address, and one for an unknown number.
  const context = args.fault ?? args.why ?? (args.available === null ? 'unknown' : undefined);
  const values = Object.entries(args).map(([name, value]) => [name, argumentText(value)]);
  const options = { ns: 'errors', context, ...Object.fromEntries(values) };
  return i18next.exists(code, options) ? String(i18next.t(code as never, options as never)) : null;
}

function argumentText(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object' || value === null) return value;
  if ('code' in value) return reasonText(value as Reason);
  if ('id' in value) return value.id;
  const fields = Object.entries(value as Record<string, Reason>);
  return fields.map(([name, reason]) => `${name}: ${reasonText(reason)}`).join(' ');
}
