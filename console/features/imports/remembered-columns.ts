/** What columns of files were said to be, by the names of all columns of a file. */

const STORED = 'latchkey-import-columns';
/** Files of other columns that are remembered. */
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

/** Null where no file of these columns was imported here before. */
export function rememberedColumns(names: readonly string[]): Mapping | null {
  const found = read().find(([known]) => known === namesOf(names))?.[1];
  return found && names.every((name) => typeof found[name] === 'string') ? found : null;
}

export function rememberColumns(names: readonly string[], mapping: Mapping): void {
  const others = read().filter(([known]) => known !== namesOf(names));
  try {
    localStorage.setItem(STORED, JSON.stringify([[namesOf(names), mapping], ...others].slice(0, MOST)));
  } catch {
    // Without storage it is said anew each time.
  }
}
