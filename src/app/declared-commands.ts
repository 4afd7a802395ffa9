/** Every command. */
export { createApiKey, revokeApiKey, rotateApiKey, updateApiKey } from './api-keys/api-keys.ts';
export { touchApiKeys } from './api-keys/last-access.ts';
export { chainAuditEntries } from './audit/chain-audit-entries.ts';
export { commitStagedLicenses } from './batches/commit-staged-licenses.ts';
export { discardStagedLicenses } from './batches/discard-staged-licenses.ts';
export { recordLicenseExport } from './batches/record-license-export.ts';
export { stageLicenses } from './batches/stage-licenses.ts';
export { createGenerator, deleteGenerator, updateGenerator } from './generators/generators.ts';
export {
  beginMasterKeyRotation,
  finishMasterKeyRotation,
  resealLicenses,
  resealStagedLicenses,
  switchMasterKey,
} from './keys/rotation-commands.ts';
export { activateLicense } from './licenses/activate-license.ts';
export { deactivateActivation, deleteActivation, reactivateActivation } from './licenses/activations.ts';
export { changeLicenses } from './licenses/change-licenses.ts';
export { fillKeySuffixes } from './licenses/fill-key-suffixes.ts';
export {
  createLicense,
  deleteLicense,
  deleteLicenses,
  revealLicenseKey,
  updateLicense,
} from './licenses/licenses.ts';
export { forgetRequestCounts, leaseRequests } from './limits/lease-requests.ts';
export { acceptInvitation } from './people/accept-invitation.ts';
export { beginTotp } from './people/begin-totp.ts';
export { completeSession } from './people/complete-session.ts';
export { confirmSession } from './people/confirm-session.ts';
export { confirmTotp } from './people/confirm-totp.ts';
export { createSession } from './people/create-session.ts';
export { createUser } from './people/create-user.ts';
export { discardSessions } from './people/discard-sessions.ts';
export { endSessions } from './people/end-sessions.ts';
export { inviteUser } from './people/invite-user.ts';
export { removeTotp } from './people/remove-totp.ts';
export { replaceRecoveryCodes } from './people/replace-recovery-codes.ts';
export { setPassword } from './people/set-password.ts';
export { setUp } from './people/set-up.ts';
export { touchSession } from './people/touch-session.ts';
export { updateUser } from './people/update-user.ts';
export { createRelease } from './releases/create-release.ts';
export { createSoftware } from './releases/create-software.ts';
export { deleteRelease } from './releases/delete-release.ts';
export { deleteSoftware } from './releases/delete-software.ts';
export { discardDownloads } from './releases/discard-downloads.ts';
export { recordDownload } from './releases/record-download.ts';
export { updateRelease } from './releases/update-release.ts';
export { updateSoftware } from './releases/update-software.ts';
export { recountRecords } from './reports/recount-records.ts';
export { countUsage } from './reports/usage.ts';
