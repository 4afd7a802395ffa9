import type { ErrorExample, OutsideExample } from './error-examples.ts';

/** What an error means, and what the program that receives it should do. */
interface Meaning {
  means: string;
  advice: string;
}

const ASK_VENDOR = 'Show the message, and tell the user whom to contact.';
const FIX_PROGRAM = 'Do not retry. Correct the program.';
const FIX_KEY = 'Do not retry. The vendor must give the program a working API key.';
const FIX_VALUES = 'Do not retry. Correct the values.';
const GONE = 'Do not retry. Read the list again.';

/** The meanings of all errors, for the API document and for docs/reference/errors.md. */
export const ERROR_MEANINGS: Record<ErrorExample | OutsideExample, Meaning> = {
  credentials_missing: { means: 'The request has no consumer key or no secret.', advice: FIX_PROGRAM },
  key_invalid: {
    means: 'The consumer key does not exist, is revoked, or has expired.',
    advice: `${FIX_KEY} Keep the last good answer about the license: the customer is not at fault.`,
  },
  secret_invalid: {
    means: 'The secret does not belong to the consumer key.',
    advice: `${FIX_KEY} Keep the last good answer about the license: the customer is not at fault.`,
  },
  no_permission: { means: 'The API key may only read, or only write.', advice: FIX_KEY },
  endpoint_not_allowed: {
    means: 'The API key is limited to other endpoints.',
    advice: FIX_KEY,
  },
  generators_not_allowed: {
    means: 'The API key is limited to products, and generators belong to none.',
    advice: FIX_KEY,
  },
  audit_not_allowed: {
    means: 'The API key is limited to products, and the audit trail covers all products.',
    advice: FIX_KEY,
  },
  license_not_found: {
    means:
      'There is no license with this key, or it belongs to a product that the API key is not for. data.code is 404, too.',
    advice: 'Do not retry. Ask the user to check the key that they typed.',
  },
  license_key_exists: {
    means: 'Another license has this key.',
    advice: 'Do not retry with this key. If the create is a retry, get the license and compare it.',
  },
  license_expired: {
    means: 'The license has expired, so it cannot be activated.',
    advice: 'Do not retry. Offer the user a renewal.',
  },
  license_disabled: {
    means: 'The vendor has disabled the license.',
    advice: `Do not retry. ${ASK_VENDOR}`,
  },
  activation_limit_reached: {
    means: 'All seats of the license are taken.',
    advice: 'Do not retry. Ask the user to deactivate another device, or to buy more seats.',
  },
  activation_not_found: {
    means:
      'There is no activation with this token: its license was deleted, it ended long ago, or the token is damaged.',
    advice: 'Do not retry. Forget the token, and activate again with the license key.',
  },
  activation_deactivated: {
    means: 'The activation was deactivated, by this program or by the vendor.',
    advice: 'Do not retry, and do not reactivate without asking. Tell the user, who may activate again.',
  },
  activation_already_active: {
    means: 'The activation of the token is valid, or its device has another valid activation.',
    advice:
      'Do not retry. Validate the token. If its activation is deactivated, activate without a token: the device keeps its seat.',
  },
  activation_already_deactivated: {
    means: 'The activation was deactivated before.',
    advice: 'Do not retry. The seat is free: treat it as success.',
  },
  activation_of_another_license: {
    means: 'The token that was sent is from another license than the key.',
    advice: 'Do not retry with this token. Activate without a token.',
  },
  generator_not_found: { means: 'There is no generator with this id.', advice: GONE },
  software_not_found: { means: 'There is no software with this id.', advice: GONE },
  software_slug_exists: { means: 'Other software has this slug.', advice: FIX_VALUES },
  software_not_covered: {
    means: 'The license is for other products than the software that is activated.',
    advice: `Do not retry. ${ASK_VENDOR}`,
  },
  software_of_other_products: {
    means: 'The software also belongs to products that the API key is not for.',
    advice: FIX_KEY,
  },
  release_not_found: { means: 'There is no release with this id.', advice: GONE },
  release_version_exists: {
    means: 'The software has a release of this version.',
    advice: 'Do not retry. Update that release, or send another version.',
  },
  event_endpoint_not_found: {
    means:
      'There is no event endpoint with this id, or it gets events of products that the API key is not for.',
    advice: GONE,
  },
  event_endpoint_disabled: {
    means: 'The endpoint is disabled: a person did it, or its receiver answered 410.',
    advice: 'Do not retry. Enable the endpoint first.',
  },
  event_endpoint_polled: {
    means: 'The endpoint is polled: nothing is sent to it, and it has no secret.',
    advice: 'Do not retry. Read its events instead.',
  },
  too_many_event_endpoints: {
    means: 'The maximum number of event endpoints exists already.',
    advice: 'Do not retry. Delete one that is no longer needed.',
  },
  download_not_found: {
    means: 'The token was never a download token or an activation token.',
    advice: 'Do not retry. Ask for the update again to get a new download_url.',
  },
  download_denied: {
    means:
      'The download is not allowed: its address has expired, the release was withdrawn, or the license is expired, disabled, ' +
      'deactivated or for other software. The message says which.',
    advice: 'Ask for the update once more. If it has no download_url, offer the user a renewal.',
  },
  precondition_failed: {
    means: 'The file has changed since the part that If-Match names.',
    advice: 'Download the whole file again.',
  },
  range_not_satisfiable: {
    means: 'The file is shorter than the range that was requested.',
    advice: 'Download the whole file again.',
  },
  file_too_large: { means: 'The file is larger than 2 GiB.', advice: 'Do not retry.' },
  generator_name_missing: { means: 'The name of the generator is missing or empty.', advice: FIX_VALUES },
  keys_exhausted: {
    means: 'The generator has too few unused keys left. Nothing was saved.',
    advice: 'Do not retry. Ask for fewer keys, or make the keys of the generator longer.',
  },
  invalid_values: {
    means: 'Values are missing or not valid. data.params names each and says what it must be.',
    advice: FIX_VALUES,
  },
  invalid_paging: { means: 'page, per_page or before is out of range.', advice: FIX_VALUES },
  invalid_json: { means: 'The body is not a JSON object.', advice: FIX_PROGRAM },
  invalid_body: { means: 'The multipart form is malformed.', advice: FIX_PROGRAM },
  content_too_large: { means: 'The body is larger than 1 MiB.', advice: FIX_PROGRAM },
  unsupported_media_type: { means: 'The body has another type, or is compressed.', advice: FIX_PROGRAM },
  too_many_requests: {
    means: 'The address or the API key has used up its requests, or the address has failed too often.',
    advice: 'Retry after the seconds of the Retry-After header.',
  },
  server_error: {
    means: 'The service has a fault. Its log has the details under the X-Request-Id of the answer.',
    advice: 'Retry a few times, with increasing delays. Until then trust the last good answer.',
  },
  unavailable: {
    means: 'The service is busy, or its database or storage is away.',
    advice: 'Retry after the seconds of the Retry-After header. Until then trust the last good answer.',
  },
  NoRoute: {
    means: 'The API has no route with this address and method.',
    advice: 'Do not retry. Correct the address of the API in the program.',
  },
  BadRequest: {
    means:
      'The request is not valid HTTP, its address is not percent-encoded, or it has too many parameters.',
    advice: FIX_PROGRAM,
  },
  RequestTimeout: {
    means: 'The request took too long to arrive.',
    advice: 'Retry. The connection of the client is slow.',
  },
  HeadersTooLarge: {
    means: 'The address or the headers are larger than 64 KiB together.',
    advice: FIX_PROGRAM,
  },
};
