import { acceptInvitation } from './accept-invitation.ts';
import { activateLicense } from './activate-license.ts';
import { beginMasterKeyRotation } from './begin-master-key-rotation.ts';
import { beginTotp } from './begin-totp.ts';
import { chainAuditEntries } from './chain-audit-entries.ts';
import { changeLicenses } from './change-licenses.ts';
import type { Command } from './command.ts';
import { commitStagedLicenses } from './commit-staged-licenses.ts';
import { completeSession } from './complete-session.ts';
import { confirmSession } from './confirm-session.ts';
import { confirmTotp } from './confirm-totp.ts';
import { countAddresses } from './count-addresses.ts';
import { countUsage } from './count-usage.ts';
import { createApiKey } from './create-api-key.ts';
import { createGenerator } from './create-generator.ts';
import { createLicense } from './create-license.ts';
import { createRelease } from './create-release.ts';
import { createSession } from './create-session.ts';
import { createSoftware } from './create-software.ts';
import { createUser } from './create-user.ts';
import { deactivateActivation } from './deactivate-activation.ts';
import { deleteActivation } from './delete-activation.ts';
import { deleteGenerator } from './delete-generator.ts';
import { deleteLicense } from './delete-license.ts';
import { deleteLicenses } from './delete-licenses.ts';
import { deleteRelease } from './delete-release.ts';
import { deleteSoftware } from './delete-software.ts';
import { discardDownloads } from './discard-downloads.ts';
import { discardSessions } from './discard-sessions.ts';
import { discardStagedLicenses } from './discard-staged-licenses.ts';
import { endSessions } from './end-sessions.ts';
import { fillEndings } from './fill-endings.ts';
import { finishMasterKeyRotation } from './finish-master-key-rotation.ts';
import { forgetRequestCounts } from './forget-request-counts.ts';
import { inviteUser } from './invite-user.ts';
import { leaseRequests } from './lease-requests.ts';
import { recordDownload } from './record-download.ts';
import { recordLicenseExport } from './record-license-export.ts';
import { recountRecords } from './recount-records.ts';
import { removeTotp } from './remove-totp.ts';
import { replaceRecoveryCodes } from './replace-recovery-codes.ts';
import { resealLicenses } from './reseal-licenses.ts';
import { resealStagedLicenses } from './reseal-staged-licenses.ts';
import { revealLicenseKey } from './reveal-license-key.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { rotateApiKey } from './rotate-api-key.ts';
import { setPassword } from './set-password.ts';
import { setUp } from './set-up.ts';
import { stageLicenses } from './stage-licenses.ts';
import { switchMasterKey } from './switch-master-key.ts';
import { touchApiKeys } from './touch-api-keys.ts';
import { touchSession } from './touch-session.ts';
import { updateApiKey } from './update-api-key.ts';
import { updateGenerator } from './update-generator.ts';
import { updateLicense } from './update-license.ts';
import { updateRelease } from './update-release.ts';
import { updateSoftware } from './update-software.ts';
import { updateUser } from './update-user.ts';

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
  'count-addresses': countAddresses,
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
  'count-addresses': 'counts',
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
