export { createApiKey, revokeApiKey, rotateApiKey, updateApiKey } from './api-keys/api-keys.ts';
export { touchApiKeys } from './api-keys/last-access.ts';
export { chainAuditEntries } from './audit/chain-audit-entries.ts';
export { recordLicenseExport } from './batches/license-export.ts';
export {
  commitStagedLicenses,
  discardStagedLicenses,
  noteStagedLicenses,
  stageLicenses,
} from './batches/staged-licenses.ts';
export {
  discardEvents,
  finishDeliveries,
  leaseEndpoints,
  redeliverSome,
  releaseEndpoint,
} from './events/deliveries.ts';
export {
  createEndpoint,
  deleteEndpoint,
  rotateEndpointSecret,
  sendTestEvent,
  updateEndpoint,
} from './events/endpoints.ts';
export { tellExpiries } from './events/expiries.ts';
export { tellLimitReached } from './events/limit-reached.ts';
export { placeEvents } from './events/place-events.ts';
export { createGenerator, deleteGenerator, updateGenerator } from './generators/generators.ts';
export {
  beginMasterKeyRotation,
  finishMasterKeyRotation,
  resealRecords,
  resealStagedLicenses,
  switchMasterKey,
} from './keys/rotation-commands.ts';
export {
  exportRootKey,
  makeSigningKeys,
  rotateSigningKey,
  useSpareRoot,
} from './keys/signing-key-commands.ts';
export { endOffline } from './leases/end-offline.ts';
export { noteLease } from './leases/leases.ts';
export { recordLicenseFile } from './leases/license-file.ts';
export { discardRevocations } from './leases/revocations.ts';
export { activateLicense } from './licenses/activate-license.ts';
export {
  deactivateActivation,
  deactivateLicense,
  deleteActivation,
  reactivateActivation,
} from './licenses/activations.ts';
export { changeLicenses } from './licenses/change-licenses.ts';
export { convertRows } from './licenses/convert-rows.ts';
export { holdSeat } from './licenses/hold-seat.ts';
export { touchActivations } from './licenses/last-seen.ts';
export {
  createLicense,
  deleteLicense,
  deleteLicenses,
  revealLicenseKey,
  updateLicense,
} from './licenses/licenses.ts';
export { updateLicenseNotes } from './licenses/notes.ts';
export { discardTrash, removeLicense, restoreLicenses } from './licenses/trash.ts';
export { extendSeat } from './licenses/validate.ts';
export { forgetRequestCounts, leaseRequests } from './limits/lease-requests.ts';
export {
  adoptHashKey,
  commitMove,
  discardStagedRecords,
  stageRecords,
  unstageRecords,
} from './moving/move-commands.ts';
export {
  completeSession,
  confirmSession,
  createSession,
  discardSessions,
  endSessions,
  touchSession,
} from './people/sessions.ts';
export { setUp } from './people/set-up.ts';
export { beginTotp, confirmTotp, removeTotp, replaceRecoveryCodes } from './people/totp.ts';
export { acceptInvitation, createUser, inviteUser, setPassword, updateUser } from './people/users.ts';
export { discardDownloads, recordDownload } from './releases/download-records.ts';
export { createRelease, deleteRelease, updateRelease } from './releases/releases.ts';
export { createSoftware, deleteSoftware, updateSoftware } from './releases/software.ts';
export { discardRequests } from './repeated-requests.ts';
export { recountRecords } from './reports/recount-records.ts';
export { countUsage } from './reports/usage.ts';
export { countVersions } from './reports/version-checks.ts';
