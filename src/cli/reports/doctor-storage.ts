import { findLeftovers, findMissing, type Leftovers, removeLeftovers } from '../../app/releases/leftovers.ts';
import type { Config } from '../../config/config.ts';
import { openArtifacts, openService } from '../../installation/service.ts';
import type { Artifacts } from '../../storage/storage.ts';
import type { Inspection } from '../../store/backups/inspection.ts';
import type { Artifact } from '../../store/store.ts';
import { foreseen } from '../failure.ts';
import { counted } from '../table.ts';
import { type Check, fail, ok, warn } from './doctor-check.ts';

const FILES = 'Release files';
const LEFTOVERS = 'Leftovers';
/** Releases that are named; of the others only how many there are is told. */
const NAMED_MAX = 10;

/**
 * Whether the storage has what the database says, and nothing else.
 * @param fix removes what nobody needs; where false, nothing is changed
 */
export async function checkStorage(config: Config, found: Inspection, fix: boolean): Promise<Check[]> {
  const artifacts = await openArtifacts(config);
  try {
    const missing = await findMissing(artifacts, found.artifacts);
    return [checkFiles(found, missing), fix ? await removed(config) : await checkLeftovers(artifacts, found)];
  } catch (error) {
    return [fail(FILES, inWords(error), 'Until this is mended, no update can be downloaded.')];
  } finally {
    await artifacts.close();
  }
}

function checkFiles({ artifacts, releases }: Inspection, missing: readonly Artifact[]): Check {
  if (missing.length === 0) return ok(FILES, `${counted(artifacts.length, 'file')}, none is missing`);
  const ids = new Set(missing.map(({ id }) => id));
  const names = releases
    .filter(({ artifactId }) => ids.has(artifactId))
    .map(({ software, version }) => `${software} ${version}`);
  const more = names.length - NAMED_MAX;
  const listed = names.slice(0, NAMED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return fail(
    FILES,
    `missing, or of another size than when they were published: the files of ${listed}`,
    'Restore them from a backup, or give them again: latchkey release update --software … --version … FILE',
  );
}

async function checkLeftovers(artifacts: Artifacts, found: Inspection): Promise<Check> {
  const used = new Set(found.artifacts.map(({ key }) => key));
  const leftovers = await findLeftovers(artifacts, { byAge: true }, (key) => used.has(key));
  return isNone(leftovers)
    ? ok(LEFTOVERS, 'there are none of uploads')
    : warn(LEFTOVERS, words(leftovers), 'Remove them: latchkey doctor --fix');
}

async function removed(config: Config): Promise<Check> {
  try {
    const service = await openService(config, { mustExist: true });
    const leftovers = await removeLeftovers(service, { byAge: true }).finally(service.close);
    return ok(LEFTOVERS, isNone(leftovers) ? 'there were none' : `removed: ${words(leftovers)}`);
  } catch (error) {
    return fail(LEFTOVERS, inWords(error), 'Mend this, then run "latchkey doctor --fix" again.');
  }
}

const inWords = (error: unknown): string => (foreseen(error) ?? (error as Error)).message;

const isNone = ({ partialUploads, orphans }: Leftovers): boolean => partialUploads + orphans.length === 0;
const words = ({ partialUploads, orphans }: Leftovers): string =>
  `${counted(partialUploads, 'upload')} that did not come in whole, ${counted(orphans.length, 'file')} that no release of this database has`;
