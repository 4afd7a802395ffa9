import { createApiKey } from './api-keys/create-api-key.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { rotateApiKey } from './api-keys/rotate-api-key.ts';
import { touchApiKeys } from './api-keys/touch-api-keys.ts';
import { updateApiKey } from './api-keys/update-api-key.ts';
import { chainAuditEntries } from './audit/chain-audit-entries.ts';
import { commitStagedLicenses } from './batches/commit-staged-licenses.ts';
import { discardStagedLicenses } from './batches/discard-staged-licenses.ts';
import { recordLicenseExport } from './batches/record-license-export.ts';
import { stageLicenses } from './batches/stage-licenses.ts';
import type { Command } from './command.ts';
import { createGenerator } from './generators/create-generator.ts';
import { deleteGenerator } from './generators/delete-generator.ts';
import { updateGenerator } from './generators/update-generator.ts';
import { beginMasterKeyRotation } from './keys/begin-master-key-rotation.ts';
import { finishMasterKeyRotation } from './keys/finish-master-key-rotation.ts';
import { resealLicenses } from './keys/reseal-licenses.ts';
import { resealStagedLicenses } from './keys/reseal-staged-licenses.ts';
import { switchMasterKey } from './keys/switch-master-key.ts';
import { activateLicense } from './licenses/activate-license.ts';
import { changeLicenses } from './licenses/change-licenses.ts';
import { createLicense } from './licenses/create-license.ts';
import { deactivateActivation } from './licenses/deactivate-activation.ts';
import { deleteActivation } from './licenses/delete-activation.ts';
import { deleteLicense } from './licenses/delete-license.ts';
import { deleteLicenses } from './licenses/delete-licenses.ts';
import { fillEndings } from './licenses/fill-key-suffixes.ts';
import { revealLicenseKey } from './licenses/reveal-license-key.ts';
import { updateLicense } from './licenses/update-license.ts';
import { forgetRequestCounts } from './limits/forget-request-counts.ts';
import { leaseRequests } from './limits/lease-requests.ts';
import { acceptInvitation } from './people/accept-invitation.ts';
import { beginTotp } from './people/begin-totp.ts';
import { completeSession } from './people/complete-session.ts';
import { confirmSession } from './people/confirm-session.ts';
import { confirmTotp } from './people/confirm-totp.ts';
import { createSession } from './people/create-session.ts';
import { createUser } from './people/create-user.ts';
import { discardSessions } from './people/discard-sessions.ts';
import { endSessions } from './people/end-sessions.ts';
import { inviteUser } from './people/invite-user.ts';
import { removeTotp } from './people/remove-totp.ts';
import { replaceRecoveryCodes } from './people/replace-recovery-codes.ts';
import { setPassword } from './people/set-password.ts';
import { setUp } from './people/set-up.ts';
import { touchSession } from './people/touch-session.ts';
import { updateUser } from './people/update-user.ts';
import { createRelease } from './releases/create-release.ts';
import { createSoftware } from './releases/create-software.ts';
import { deleteRelease } from './releases/delete-release.ts';
import { deleteSoftware } from './releases/delete-software.ts';
import { discardDownloads } from './releases/discard-downloads.ts';
import { recordDownload } from './releases/record-download.ts';
import { updateRelease } from './releases/update-release.ts';
import { updateSoftware } from './releases/update-software.ts';
import { countUsage } from './reports/count-usage.ts';
import { recountRecords } from './reports/recount-records.ts';

/** Every change that can happen, by name. */
export const commands = {
  'accept-invitation': acceptInvitation,
  'activate-license': activateLicense,
  'begin-master-key-rotation': beginMasterKeyRotation,
  'begin-totp': beginTotp,
  'chain-audit-entries': chainAuditEntries,
  'commit-staged-licenses': commitStagedLicenses,
  'complete-session': completeSession,
  'confirm-session': confirmSession,
  'confirm-totp': confirmTotp,
  'count-usage': countUsage,
  'change-licenses': changeLicenses,
  'delete-activation': deleteActivation,
  'delete-licenses': deleteLicenses,
  'fill-endings': fillEndings,
  'record-license-export': recordLicenseExport,
  'reveal-license-key': revealLicenseKey,
  'create-api-key': createApiKey,
  'create-generator': createGenerator,
  'create-license': createLicense,
  'create-release': createRelease,
  'create-session': createSession,
  'create-software': createSoftware,
  'create-user': createUser,
  'deactivate-activation': deactivateActivation,
  'delete-generator': deleteGenerator,
  'delete-license': deleteLicense,
  'delete-release': deleteRelease,
  'delete-software': deleteSoftware,
  'discard-downloads': discardDownloads,
  'discard-sessions': discardSessions,
  'discard-staged-licenses': discardStagedLicenses,
  'end-sessions': endSessions,
  'finish-master-key-rotation': finishMasterKeyRotation,
  'forget-request-counts': forgetRequestCounts,
  'invite-user': inviteUser,
  'lease-requests': leaseRequests,
  'record-download': recordDownload,
  'recount-records': recountRecords,
  'remove-totp': removeTotp,
  'replace-recovery-codes': replaceRecoveryCodes,
  'reseal-licenses': resealLicenses,
  'reseal-staged-licenses': resealStagedLicenses,
  'revoke-api-key': revokeApiKey,
  'rotate-api-key': rotateApiKey,
  'set-password': setPassword,
  'set-up': setUp,
  'stage-licenses': stageLicenses,
  'switch-master-key': switchMasterKey,
  'touch-api-keys': touchApiKeys,
  'touch-session': touchSession,
  'update-api-key': updateApiKey,
  'update-generator': updateGenerator,
  'update-license': updateLicense,
  'update-release': updateRelease,
  'update-software': updateSoftware,
  'update-user': updateUser,
} as const;

export type CommandName = keyof typeof commands;

/**
 * Commands that hold beside any others by their own statements, each of which changes only what is still as it must be.
 * The others read first and write later, so an engine that runs many at once must keep them apart.
 */
export const GUARDED: ReadonlySet<CommandName> = new Set([
  'activate-license',
  'chain-audit-entries',
  'change-licenses',
  'commit-staged-licenses',
  'count-usage',
  'deactivate-activation',
  'delete-activation',
  'delete-license',
  'delete-licenses',
  'discard-downloads',
  'discard-sessions',
  'discard-staged-licenses',
  'fill-endings',
  'forget-request-counts',
  'lease-requests',
  'record-download',
  'record-license-export',
  'reseal-licenses',
  'reseal-staged-licenses',
  'reveal-license-key',
  'stage-licenses',
  'touch-api-keys',
  'touch-session',
  'update-license',
]);

/** Commands that the audit trail tells of where a person does them, and what is told of them where a program does. */
export const AUDITED_OF_PEOPLE: Readonly<Partial<Record<CommandName, string>>> = {
  'activate-license': 'counted by day',
  'deactivate-activation': 'counted by day',
};

/** Commands that the audit trail says nothing of, and why. */
export const UNAUDITED: Readonly<Partial<Record<CommandName, string>>> = {
  'record-download': 'recorded by itself, and counted by day',
  'chain-audit-entries': 'the trail itself',
  'count-usage': 'counts',
  'discard-downloads': 'records past the age that a setting gives them',
  'discard-staged-licenses': 'nothing that anybody could see',
  'fill-endings': 'an index of what is there',
  'forget-request-counts': 'counts of a minute that is over',
  'lease-requests': 'counts of the present minute',
  'recount-records': 'makes totals what they are',
  'reseal-licenses': 'no record changes; the beginning and the end of its rotation are recorded',
  'reseal-staged-licenses': 'as reseal-licenses',
  'switch-master-key': 'a step between the beginning and the end of a rotation, which are recorded',
  'stage-licenses': 'seen by nobody until commit-staged-licenses, which is recorded',
  'touch-api-keys': 'when a key was last used',
  'begin-totp': 'nothing counts before confirm-totp, which is recorded',
  'confirm-session': 'what it then lets do is recorded',
  'discard-sessions': 'what was good no more',
  'touch-session': 'when a session was last seen',
};

export type CommandInput<N extends CommandName> =
  (typeof commands)[N] extends Command<infer Input, infer _> ? Input : never;
export type CommandResult<N extends CommandName> =
  (typeof commands)[N] extends Command<infer _, infer Result> ? Result : never;
