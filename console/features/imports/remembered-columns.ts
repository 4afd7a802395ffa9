/** Stored column mappings, by the column names of a file. */

const STORED = 'latchkey-import-columns';
/** The most mappings to store. */
const MOST = 20;

type Mapping = Record<string, string>;
type Entries = [names: string, mapping: Mapping][];

const namesOf = (names: readonly string[]): string => JSON.stringify([...names].sort());

function read(): Entries {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(stored) ? (stored as Entries).filter((one) => Array.isArray(one)) : [];
  } catch {
    return [];
  }
}

/** Returns the stored mapping; null if this browser has imported no file with these columns. */
export function rememberedColumns(names: readonly string[]): Mapping | null {
  const found = read().find(([known]) => known === namesOf(names))?.[1];
  return found && names.every((name) => typeof found[name] === 'string') ? found : null;
}

export function rememberColumns(names: readonly string[], mapping: Mapping): void {
  const rest = read().filter(([known]) => known !== namesOf(names));
  try {
    localStorage.setItem(STORED, JSON.stringify([[namesOf(names), mapping], ...rest].slice(0, MOST)));
  } catch {
    // Without storage, the user maps the columns each time.
  }
}
