import { createApiKey } from './api-keys/create-api-key.ts';
import { touchApiKeys } from './api-keys/last-access.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { rotateApiKey } from './api-keys/rotate-api-key.ts';
import { updateApiKey } from './api-keys/update-api-key.ts';
import { chainAuditEntries } from './audit/chain-audit-entries.ts';
import { commitStagedLicenses } from './batches/commit-staged-licenses.ts';
import { discardStagedLicenses } from './batches/discard-staged-licenses.ts';
import { recordLicenseExport } from './batches/record-license-export.ts';
import { stageLicenses } from './batches/stage-licenses.ts';
import type { InputOf, ResultOf } from './command.ts';
import { createGenerator } from './generators/create-generator.ts';
import { deleteGenerator } from './generators/delete-generator.ts';
import { updateGenerator } from './generators/update-generator.ts';
import {
  beginMasterKeyRotation,
  finishMasterKeyRotation,
  resealLicenses,
  resealStagedLicenses,
  switchMasterKey,
} from './keys/rotation-commands.ts';
import { activateLicense } from './licenses/activate-license.ts';
import { changeLicenses } from './licenses/change-licenses.ts';
import { createLicense } from './licenses/create-license.ts';
import { deactivateActivation } from './licenses/deactivate-activation.ts';
import { deleteActivation } from './licenses/delete-activation.ts';
import { deleteLicense } from './licenses/delete-license.ts';
import { deleteLicenses } from './licenses/delete-licenses.ts';
import { fillKeySuffixes } from './licenses/fill-key-suffixes.ts';
import { reactivateActivation } from './licenses/reactivate-activation.ts';
import { revealLicenseKey } from './licenses/reveal-license-key.ts';
import { updateLicense } from './licenses/update-license.ts';
import { forgetRequestCounts, leaseRequests } from './limits/lease-requests.ts';
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
import { recountRecords } from './reports/recount-records.ts';
import { countUsage } from './reports/usage.ts';

/** Every change that can happen. A new command is declared in a file of its own and listed here. */
const declared = [
  createApiKey,
  touchApiKeys,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
  chainAuditEntries,
  commitStagedLicenses,
  discardStagedLicenses,
  recordLicenseExport,
  stageLicenses,
  createGenerator,
  deleteGenerator,
  updateGenerator,
  beginMasterKeyRotation,
  finishMasterKeyRotation,
  resealLicenses,
  resealStagedLicenses,
  switchMasterKey,
  activateLicense,
  changeLicenses,
  createLicense,
  deactivateActivation,
  deleteActivation,
  deleteLicense,
  deleteLicenses,
  fillKeySuffixes,
  reactivateActivation,
  revealLicenseKey,
  updateLicense,
  forgetRequestCounts,
  leaseRequests,
  acceptInvitation,
  beginTotp,
  completeSession,
  confirmSession,
  confirmTotp,
  createSession,
  createUser,
  discardSessions,
  endSessions,
  inviteUser,
  removeTotp,
  replaceRecoveryCodes,
  setPassword,
  setUp,
  touchSession,
  updateUser,
  createRelease,
  createSoftware,
  deleteRelease,
  deleteSoftware,
  discardDownloads,
  recordDownload,
  updateRelease,
  updateSoftware,
  recountRecords,
  countUsage,
] as const;

type Commands = { readonly [C in (typeof declared)[number] as C['name']]: C };

export const commands = Object.fromEntries(declared.map((command) => [command.name, command])) as Commands;

export type CommandName = keyof Commands;
export type CommandInput<N extends CommandName> = InputOf<Commands[N]>;
export type CommandResult<N extends CommandName> = ResultOf<Commands[N]>;
