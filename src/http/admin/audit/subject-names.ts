import type { AuditEntry } from '../../../domain/audit.ts';
import type { Reads } from '../../../store/store.ts';

export interface SubjectName {
  /** The name of the record, as people know it; null if it has none. */
  name: string | null;
  /** Id of the software, if the record is a release that still exists; otherwise null. */
  softwareId: number | null;
}

/**
 * Returns a function that names the record of an entry: the name of a user, a generator or software, the description of an
 * API key, or the name of the software and the version of a release. A deleted record has the name that the entry recorded.
 * @param apiKeys descriptions by id
 */
export async function subjectNames(
  read: Reads,
  entries: readonly AuditEntry[],
  apiKeys: ReadonlyMap<number, string>,
): Promise<(entry: AuditEntry) => SubjectName> {
  const idsOf = (type: string): number[] => [
    ...new Set(entries.flatMap(({ subject }) => (subject.type === type ? (subject.id ?? []) : []))),
  ];
  const releases = await found(idsOf('release'), (id) => read.releases.find(id));
  const softwareIds = new Set([...idsOf('software'), ...[...releases.values()].map((one) => one.softwareId)]);
  const [software, generators, users] = await Promise.all([
    found([...softwareIds], (id) => read.software.find(id)),
    found(idsOf('generator'), (id) => read.generators.find(id)),
    read.users.names(idsOf('user')),
  ]);
  const nameOf = (type: string, id: number): string | undefined =>
    ({
      software: software.get(id)?.name,
      generator: generators.get(id)?.name,
      user: users.get(id),
      api_key: apiKeys.get(id),
    })[type];
  return (entry) => {
    const { type, id } = entry.subject;
    const release = type === 'release' && id !== null ? releases.get(id) : undefined;
    const of = release && software.get(release.softwareId);
    if (release && of) return { name: `${of.name} ${release.version}`, softwareId: of.id };
    return { name: (id !== null && nameOf(type, id)) || recordedName(entry), softwareId: null };
  };
}

/** Finds each record by its primary key: a page refers to only a few. */
async function found<R>(
  ids: readonly number[],
  find: (id: number) => Promise<R | null>,
): Promise<Map<number, R>> {
  const records = await Promise.all(ids.map(async (id) => [id, await find(id)] as const));
  return new Map(records.flatMap(([id, record]) => (record ? [[id, record] as const] : [])));
}

function recordedName({ details: { before, after } }: AuditEntry): string | null {
  const values = { ...before, ...after };
  const name = [values.name, values.description, values.version].find(
    (one) => typeof one === 'string' && one !== '',
  );
  return typeof name === 'string' ? name : null;
}
