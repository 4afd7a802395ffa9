import { parameterName, readUpdate } from '../../domain/fields.ts';
import { LICENSE_DEFAULTS, licenseShape } from '../../domain/license.ts';
import { done, invalid, type Outcome } from '../../domain/refusal.ts';
import { type Columns, guessColumns, type Header, IMPORTED, isThereTwice } from './license-csv.ts';

/** What somebody says of a file beside it: what its columns are, and what its empty cells stand for. */

/** The parameter of a column by the column's name; '' where it is passed over. */
export type Mapping = Readonly<Record<string, string>>;

/** What the columns are: as the mapping says, or, without one, as their names let guess. */
export function mappedColumns(header: Header, mapping: Mapping | null): Outcome<Columns> {
  const columns =
    mapping === null
      ? guessColumns(header)
      : header.names.map((name) => (Object.hasOwn(mapping, name) && mapping[name]) || null);
  const unknown = Object.keys(mapping ?? {}).find((name) => !header.names.includes(name));
  if (unknown !== undefined) return invalid('mapping', 'unknown_column', { name: unknown });
  const wrong = columns.find((name) => name !== null && !IMPORTED.includes(name));
  if (wrong) return invalid('mapping', 'unknown_parameter', { allowed: IMPORTED, name: wrong });
  const twice = isThereTwice(columns);
  return twice ? invalid('mapping', 'column_twice', { name: twice }) : done(columns);
}

const { licenseKey: _key, ...defaultShape } = licenseShape;

/** Values for what lines leave empty, by parameter name: those given, and for others the usual ones. */
export function readDefaults(given: Readonly<Record<string, unknown>>): Outcome<Record<string, unknown>> {
  const sent = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== ''),
  );
  const allowed = Object.keys(defaultShape).map(parameterName);
  const unknown = Object.keys(sent).find((name) => !allowed.includes(name));
  if (unknown !== undefined) return invalid('defaults', 'unknown_default', { allowed, name: unknown });
  const read = readUpdate(defaultShape, sent);
  return read.ok
    ? done({ ...LICENSE_DEFAULTS, ...sent })
    : invalid('defaults', 'bad_defaults', { fields: read.problems });
}
