import { initial } from './0001-initial.ts';
import { software } from './0002-software.ts';
import { requestCounts } from './0003-request-counts.ts';
import { recordCounts } from './0004-record-counts.ts';
import { audit } from './0005-audit.ts';
import { addressCounts } from './0006-address-counts.ts';
import { users } from './0007-users.ts';
import { licenseSearch } from './0008-license-search.ts';
import { licenseDays } from './0009-license-days.ts';
import { confirmedSessions } from './0010-confirmed-sessions.ts';
import { releaseChannels } from './0011-release-channels.ts';
import { licenseHistory } from './0012-license-history.ts';
import { replacedApiKeys } from './0013-replaced-api-keys.ts';
import { pendingTotp } from './0014-pending-totp.ts';
import { blindIndexes } from './0015-blind-indexes.ts';
import { boundedHistory } from './0016-bounded-history.ts';
import { movingIn } from './0017-moving-in.ts';
import { seats } from './0018-seats.ts';
import { idempotencyKeys } from './0019-idempotency-keys.ts';
import { signingKeys } from './0020-signing-keys.ts';
import { leases } from './0021-leases.ts';
import { events } from './0022-events.ts';
import { licenseNotes } from './0023-license-notes.ts';
import { trash } from './0024-trash.ts';
import { repeatedChanges } from './0025-repeated-changes.ts';
import { installs } from './0026-installs.ts';
import { productDays } from './0027-product-days.ts';
import { versionChecks } from './0028-version-checks.ts';
import { customerEmails } from './0029-customer-emails.ts';
import { usersLastSeen } from './0030-users-last-seen.ts';
import { heldInstalls } from './0031-held-installs.ts';
import { noInstallIndex } from './0032-no-install-index.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [
  initial,
  software,
  requestCounts,
  recordCounts,
  audit,
  addressCounts,
  users,
  licenseSearch,
  licenseDays,
  confirmedSessions,
  releaseChannels,
  licenseHistory,
  replacedApiKeys,
  pendingTotp,
  blindIndexes,
  boundedHistory,
  movingIn,
  seats,
  idempotencyKeys,
  signingKeys,
  leases,
  events,
  licenseNotes,
  trash,
  repeatedChanges,
  installs,
  productDays,
  versionChecks,
  customerEmails,
  usersLastSeen,
  heldInstalls,
  noInstallIndex,
];
