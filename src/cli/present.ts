import type { Activation } from '../domain/activation.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { AuditEntry } from '../domain/audit.ts';
import type { Datetime } from '../domain/datetime.ts';
import { withDefaults } from '../domain/fields.ts';
import { isExpired, type License } from '../domain/license.ts';
import { snakeCased } from '../domain/names.ts';
import type { Release } from '../domain/release.ts';
import type { Software } from '../domain/software.ts';

// Records as `--json` writes them: with the names and values of the API, plus what only the command line shows.

export const presentLicense = ({ id, key, ...license }: License, hash: string, now: Datetime) => ({
  ...{ id, license_key: key, hash, is_expired: isExpired(license, now) },
  ...snakeCased(license),
});

export const presentActivation = ({ meta, ...activation }: Activation) => ({
  ...snakeCased(withDefaults(activation, { ipAddress: '', userAgent: '' })),
  meta_data: meta ?? [],
});

const NO_TEXT = { url: '', tested: '', requires: '', requiresPhp: '' };
export const presentSoftware = (software: Software) =>
  snakeCased(withDefaults(software, { ...NO_TEXT, icons: {}, banners: {} }));

const NO_FILE = { name: '', type: '', size: 0, sha256: '', sha512: '' };
export function presentRelease({ file, yankReason, ...release }: Release) {
  const { name, type, size, sha256, sha512 } = file ?? NO_FILE;
  return {
    ...snakeCased(withDefaults(release, { changelog: '', upgradeNotice: '' })),
    // The v1 API has no such field.
    ...(release.status === 'yanked' && { yank_reason: yankReason ?? '' }),
    ...{ file_name: name, mime_type: type, size, sha256, sha512 },
  };
}

export const presentAuditEntry = ({ subject, details, ...entry }: AuditEntry) => ({
  ...{ ...snakeCased(entry), subject_type: subject.type, subject_id: subject.id },
  ...{ before: details.before ?? null, after: details.after ?? null, about: details.about ?? null },
});

export const presentApiKey = ({ secretHash: _, replacedBy: _by, hashedBy: _hashed, ...apiKey }: ApiKey) =>
  snakeCased(apiKey);
