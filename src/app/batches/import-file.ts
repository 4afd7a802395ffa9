import { parameterName, readUpdate } from '../../domain/fields.ts';
import { LICENSE_DEFAULTS } from '../../domain/licenses/license.ts';
import { done, invalid, type Outcome } from '../../domain/refusal.ts';
import { IMPORTED, importShape } from './import-shape.ts';
import { type Columns, duplicateOf, guessColumns, type Header } from './license-csv.ts';

/** The parameter for each column, by the column's name; '' to skip the column. */
export type Mapping = Readonly<Record<string, string>>;

/** Returns the columns of a mapping; without a mapping, columns guessed from their names. */
export function mappedColumns(header: Header, mapping: Mapping | null): Outcome<Columns> {
  const columns =
    mapping === null
      ? guessColumns(header)
      : header.names.map((name) => (Object.hasOwn(mapping, name) && mapping[name]) || null);
  const unknown = Object.keys(mapping ?? {}).find((name) => !header.names.includes(name));
  if (unknown !== undefined) return invalid('mapping', 'unknown_column', { name: unknown });
  const wrong = columns.find((name) => name !== null && !IMPORTED.includes(name));
  if (wrong) return invalid('mapping', 'unknown_parameter', { allowed: IMPORTED, name: wrong });
  const twice = duplicateOf(columns);
  return twice ? invalid('mapping', 'column_twice', { name: twice }) : done(columns);
}

const { licenseKey: _key, ...defaultShape } = importShape;

/** Reads the values for empty cells, by parameter name. Parameters without a given value get their LICENSE_DEFAULTS. */
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
