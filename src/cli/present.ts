import type { Activation } from '../domain/activation.ts';
import type { ApiKey } from '../domain/api-key.ts';
import type { AuditEntry } from '../domain/audit.ts';
import type { Datetime } from '../domain/datetime.ts';
import type { DownloadCount } from '../domain/download.ts';
import type { Generator } from '../domain/generator.ts';
import { isExpired, type License } from '../domain/license.ts';
import { snakeCased } from '../domain/names.ts';
import type { Release } from '../domain/release.ts';
import type { Software } from '../domain/software.ts';
import type { User } from '../domain/user.ts';

/** Records as `--json` writes them: with the names and values of the API, and what only the command line shows. */
export type Presented = Record<string, unknown>;

export function presentLicense({ id, key, ...license }: License, hash: string, now: Datetime) {
  return { ...snakeCased(license), id, license_key: key, hash, is_expired: isExpired(license, now) };
}

export function presentActivation({ meta, ipAddress, userAgent, ...activation }: Activation): Presented {
  const known = { ip_address: ipAddress ?? '', user_agent: userAgent ?? '', meta_data: meta ?? [] };
  return { ...snakeCased(activation), ...known };
}

export function presentSoftware({
  url,
  tested,
  requires,
  requiresPhp,
  icons,
  banners,
  ...rest
}: Software): Presented {
  return {
    ...snakeCased(rest),
    url: url ?? '',
    tested: tested ?? '',
    requires: requires ?? '',
    requires_php: requiresPhp ?? '',
    icons: icons ?? {},
    banners: banners ?? {},
  };
}

export function presentRelease({ file, changelog, upgradeNotice, yankReason, ...rest }: Release): Presented {
  return {
    ...snakeCased(rest),
    changelog: changelog ?? '',
    upgrade_notice: upgradeNotice ?? '',
    // Of our own: the v1 API has no such field.
    ...(rest.status === 'yanked' && { yank_reason: yankReason ?? '' }),
    file_name: file?.name ?? '',
    mime_type: file?.type ?? '',
    size: file?.size ?? 0,
    sha256: file?.sha256 ?? '',
    sha512: file?.sha512 ?? '',
  };
}

export const presentDownloadCount = (count: DownloadCount): Presented => snakeCased(count);

export const presentAuditEntry = ({ subject, details, ...entry }: AuditEntry): Presented => ({
  ...snakeCased(entry),
  subject_type: subject.type,
  subject_id: subject.id,
  before: details.before ?? null,
  after: details.after ?? null,
  about: details.about ?? null,
});

export const presentGenerator = (generator: Generator): Presented => snakeCased(generator);

/** Without anything of the secret. */
export const presentApiKey = ({ secretHash: _, replacedBy: _by, ...apiKey }: ApiKey): Presented =>
  snakeCased(apiKey);

export const presentUser = (user: User): Presented => snakeCased(user);
