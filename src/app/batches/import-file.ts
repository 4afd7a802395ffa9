import { type InvalidParams, inSentences, parameterName, readUpdate } from '../../domain/fields.ts';
import { LICENSE_DEFAULTS, licenseShape } from '../../domain/license.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
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
  if (unknown !== undefined) return bad(`names a column that the file does not have: ${unknown}`);
  const wrong = columns.find((name) => name !== null && !IMPORTED.includes(name));
  if (wrong) return bad(`must give each column one of ${IMPORTED.join(', ')}, or nothing; not ${wrong}`);
  const twice = isThereTwice(columns);
  if (twice) return bad(`gives ${twice} to two columns`);
  return done(columns);
}

const bad = (fault: string) => refused({ reason: 'invalid', params: { mapping: `${fault}.` } });

const { licenseKey: _key, ...defaultShape } = licenseShape;

/** Values for what lines leave empty, by parameter name: those given, and for others the usual ones. */
export function readDefaults(given: Readonly<Record<string, unknown>>): Outcome<Record<string, unknown>> {
  const sent = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== ''),
  );
  const params: InvalidParams = {};
  const names = Object.keys(defaultShape).map(parameterName);
  const unknown = Object.keys(sent).find((name) => !names.includes(name));
  const read = readUpdate(defaultShape, sent);
  if (unknown !== undefined) params.defaults = `must be of ${names.join(', ')}; not ${unknown}.`;
  else if (!read.ok) params.defaults = `are no good: ${inSentences(read.params)}`;
  if (params.defaults) return refused({ reason: 'invalid', params });
  return done({ ...LICENSE_DEFAULTS, ...sent });
}
