import { ACTIVATION_SOURCE, type Activation } from '../domain/activation.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { AuditDetails, AuditEntry } from '../domain/audit.ts';
import type { Datetime } from '../domain/datetime.ts';
import { softwareValues } from '../domain/events/event-objects.ts';
import { withDefaults } from '../domain/fields.ts';
import { isExpired, LICENSE_SOURCE, LICENSE_STATUSES, type License } from '../domain/licenses/license.ts';
import { type LicenseNotes, metaObject } from '../domain/licenses/license-notes.ts';
import { snakeCased } from '../domain/names.ts';
import type { Release } from '../domain/releases/release.ts';
import type { Software } from '../domain/releases/software.ts';

// Records as `--json` writes them: with the names of the API, names instead of numbers, and values that only the command
// line shows.

/** Returns the name of a number, which counts the names from 1; without such a name, the number itself. */
const named = (names: readonly string[], number: unknown): string =>
  names[Number(number) - 1] ?? String(number);
export const statusName = (status: unknown): string => named(LICENSE_STATUSES, status);
export const sourceName = (source: unknown): string => named(Object.keys(LICENSE_SOURCE), source);

export const presentLicense = ({ id, key, ...license }: License, hash: string, now: Datetime) => ({
  id,
  license_key: key,
  hash,
  is_expired: isExpired(license, now),
  ...snakeCased(license),
  status: statusName(license.status),
  source: sourceName(license.source),
});

export const presentNotes = ({ note, tags, meta }: LicenseNotes) => ({ note, tags, meta: metaObject(meta) });

/** Omits the hash of the device, which is of no use to anybody. */
export const presentActivation = ({ meta, device: _, ...activation }: Activation) => ({
  ...snakeCased(withDefaults(activation, { ipAddress: '', userAgent: '' })),
  source: named(Object.keys(ACTIVATION_SOURCE), activation.source),
  meta_data: meta ?? [],
});

export const presentSoftware = (software: Software) => ({ id: software.id, ...softwareValues(software) });

const NO_FILE = { name: '', type: '', size: 0, sha256: '', sha512: '' };
export function presentRelease({ file, yankReason, ...release }: Release) {
  const { name, type, size, sha256, sha512 } = file ?? NO_FILE;
  return {
    ...snakeCased(withDefaults(release, { changelog: '', upgradeNotice: '' })),
    // The v1 API does not have this field.
    ...(release.status === 'yanked' && { yank_reason: yankReason ?? '' }),
    file_name: name,
    mime_type: type,
    size,
    sha256,
    sha512,
  };
}

export function presentAuditEntry({ details, ...entry }: AuditEntry) {
  const { subject, ...values } = entry;
  const { before, after, about } = namedDetails({ details, ...entry });
  return {
    ...snakeCased(values),
    subject_type: subject.type,
    subject_id: subject.id,
    before: before ?? null,
    after: after ?? null,
    about: about ?? null,
  };
}

/** The details of an entry, with the names of the status and source of licenses instead of their numbers. */
export const namedDetails = ({ subject, details }: AuditEntry): AuditDetails =>
  subject.type !== 'license'
    ? details
    : Object.fromEntries(Object.entries(details).map(([part, values]) => [part, withNames(values)]));

const NAMED = { status: statusName, source: sourceName };
const withNames = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(values).map(([field, value]) => {
      const nameOf = NAMED[field as keyof typeof NAMED];
      if (!nameOf || value === null) return [field, value];
      return [field, Array.isArray(value) ? value.map(nameOf) : nameOf(value)];
    }),
  );

export const presentApiKey = ({ secretHash: _, replacedBy: _by, hashedBy: _hashed, ...apiKey }: ApiKey) =>
  snakeCased(apiKey);
