import type { License } from '../../src/domain/licenses/license.ts';
import { behind, first, page } from '../support/list-filters.ts';
import { type LookUps, RELEASE_LOOK_UPS } from './release-look-ups.ts';
import { REPORT_LOOK_UPS } from './report-look-ups.ts';

export const NOW = '2026-01-01 00:00:00';
const license = { id: 1, key: 'K', productId: null, status: 3, expiresAt: null } as License;
const row = {
  productId: null,
  orderId: null,
  userId: null,
  expiresAt: null,
  validFor: 0,
  status: 3,
  activationsLimit: 1,
};

const aboutOne = {
  action: null,
  apiKeyId: null,
  userId: null,
  from: null,
  to: null,
  subject: { type: 'license', id: 1 } as const,
};
const searched = { before: null, limit: 10, counted: false };
const ids = { above: 5, upTo: 5_000, limit: 10 };

/** The index that each look-up must use. The id of a table is SQLite's INTEGER PRIMARY KEY. */
export const LOOK_UPS: LookUps = {
  ...RELEASE_LOOK_UPS,
  ...REPORT_LOOK_UPS,
  'a license by key': [
    (t) => t.licenses.find({ key: 'K' }),
    /SEARCH licenses USING INDEX licenses_by_key_hash/,
  ],
  'a license with its activations': [
    (t) => t.licenses.findWithActivations({ key: 'K' }),
    /SEARCH activations USING INDEX activations_valid \(license_id=\?\)/,
  ],
  'keys that exist': [
    (t) => t.licenses.existing(['K']),
    /SEARCH licenses USING COVERING INDEX licenses_by_key_hash/,
  ],
  'an activation by token': [
    (t) => t.activations.findByToken('T'),
    /SEARCH activations USING INDEX activations_by_token/,
  ],
  'the license of an activation': [
    (t) => t.activations.findByToken('T'),
    /SEARCH licenses USING INTEGER PRIMARY KEY/,
  ],
  'changes of the activations of a license': [
    (t) => t.activations.changed(1, null, 10),
    /SEARCH activations USING INDEX activations_by_change/,
  ],
  'valid activations below an id': [
    (t) => t.activations.before(1, 100),
    /SEARCH activations USING INDEX activations_valid \(license_id=\? AND id<\?\)/,
  ],
  'the oldest deactivated activations': [
    (t) => t.activations.forget(1, 10, 10, NOW),
    /(SEARCH activations USING COVERING INDEX activations_deactivated [\s\S]*){2}/,
  ],
  'deactivated activations to delete': [
    (t) => t.activations.discard([1, 2], 10, NOW),
    /SEARCH activations USING INDEX activations_deactivated \(license_id=\?/,
  ],
  'activations to delete': [
    (t) => t.activations.discard([1, 2], 10, NOW),
    /SEARCH activations USING INDEX activations_by_license \(license_id=\?\)/,
  ],
  'the token of a deleted license': [
    (t) => t.activations.wasDeleted('a'.repeat(40)),
    /SEARCH deleted_activations USING (COVERING )?INDEX \S*deleted_activations/,
  ],
  'a repeatable request': [
    (t) => t.requests.end(1, 'k', { activationId: 1, isNew: true }),
    /SEARCH idempotency_keys USING INDEX \S*idempotency_keys_1 \(license_id=\? AND key_hash=\?\)/,
  ],
  'old repeatable requests': [
    (t) => t.requests.discard(NOW, 10),
    /SEARCH idempotency_keys USING INDEX idempotency_keys_by_age \(created_at<\?\)/,
  ],
  'a repeatable change': [
    (t) => t.repeatedChanges.end(1, 'k', null),
    /SEARCH repeated_changes USING INDEX \S*repeated_changes_1 \(user_id=\? AND key_hash=\?\)/,
  ],
  'old repeatable changes': [
    (t) => t.repeatedChanges.discard(NOW, 10),
    /SEARCH repeated_changes USING INDEX repeated_changes_by_age \(created_at<\?\)/,
  ],
  'an activation with the data for its leases': [
    (t) => t.activations.findLeasable('T'),
    /SEARCH activations USING INDEX activations_by_token/,
  ],
  'the last lease of a license': [
    (t) => t.activations.discard([1, 2], 10, NOW),
    /SEARCH activations USING INDEX activations_leased \(license_id=\? AND leased_until>\?\)/,
  ],
  'the last seat of a license with leases': [
    (t) => t.activations.discard([1, 2], 10, NOW),
    /SEARCH activations USING INDEX activations_lapsing \(license_id=\? AND seat_expires_at>\?\)/,
  ],
  'storing the end of a lease': [
    (t) => t.activations.noteLease(1, NOW),
    /SEARCH activations USING INTEGER PRIMARY KEY/,
  ],
  'expired revocations': [
    (t) => t.revocations.discard(NOW, 10),
    /SEARCH revocations USING (COVERING )?INDEX revocations_by_end \(until<\?\)/,
  ],
  'an activation by id': [(t) => t.activations.find(1), /SEARCH activations USING INTEGER PRIMARY KEY/],
  'taking a seat': [(t) => t.licenses.takeSeat(license), /SEARCH licenses USING INTEGER PRIMARY KEY/],
  'freeing a seat': [(t) => t.licenses.freeSeat(1), /SEARCH licenses USING INTEGER PRIMARY KEY/],
  deactivating: [(t) => t.activations.deactivate(1, NOW), /SEARCH activations USING INTEGER PRIMARY KEY/],
  reactivating: [
    (t) => t.activations.reactivate(1, NOW, null),
    /SEARCH activations USING INTEGER PRIMARY KEY/,
  ],
  'deleting a license': [
    (t) => t.licenses.delete(license, 1, NOW),
    /SEARCH licenses USING INTEGER PRIMARY KEY/,
  ],
  'the belongings of a deleted license': [
    (t) => t.licenses.delete(license, 1, NOW),
    /SEARCH license_notes USING INTEGER PRIMARY KEY[\s\S]*SEARCH license_meta USING INDEX license_meta_by_license[\s\S]*SEARCH forgotten_activations/,
  ],
  'a deleted license': [
    (t) => t.trash.find(1),
    /SEARCH trashed_licenses USING INDEX trashed_licenses_by_license \(license_id=\?\)/,
  ],
  'deleted licenses with a key': [
    (t) => t.trash.list(null, 10, 'K'),
    /SEARCH trashed_licenses USING (COVERING )?INDEX trashed_licenses_by_key_hash \(key_hash=\?\)/,
  ],
  'expired records in the trash': [
    (t) => t.trash.discard({ before: NOW }, 10),
    /SEARCH trashed_activations USING (COVERING )?INDEX trashed_activations_by_age[\s\S]*SEARCH trashed_licenses USING (COVERING )?INDEX trashed_licenses_by_age/,
  ],
  'activations of a deleted license': [
    (t) => t.trash.discard({ licenseId: 1 }, 10),
    /SEARCH trashed_activations USING (COVERING )?INDEX trashed_activations_by_license \(license_id=\?\)[\s\S]*SEARCH downloads USING (COVERING )?INDEX downloads_by_license \(license_id=\?\)/,
  ],
  'licenses with a tag': [
    (t) => t.licenses.search({ tag: 'a' }, { before: null, limit: 10, counted: true }),
    /SEARCH license_words USING (COVERING )?INDEX \S*license_words_1 \(word=\?\)/,
  ],
  'licenses with a word in their note': [
    (t) =>
      t.licenses.search(
        { terms: [{ by: 'note', words: ['a'] }] },
        { before: null, limit: 10, counted: true },
      ),
    /SEARCH license_words USING (COVERING )?INDEX \S*license_words_1 \(word>\? AND word<\?\)/,
  ],
  'all tags': [
    (t) => t.notes.tags(10),
    /SEARCH license_words USING (COVERING )?INDEX \S*license_words_1 \(word>\? AND word<\?\)/,
  ],
  'updating a license': [
    (t) => t.licenses.update(license, { status: 2 }),
    /SEARCH licenses USING INTEGER PRIMARY KEY/,
  ],
  'the number of licenses': [
    (t) => t.licenses.list({}, behind),
    /SEARCH record_counts USING INDEX \S+ \(counted=\?\)/,
  ],
  'licenses below an id': [
    (t) => t.licenses.list({}, behind),
    /SEARCH licenses USING INTEGER PRIMARY KEY \(rowid<\?\)/,
  ],
  'the newest licenses': [
    (t) => t.licenses.list({}, first),
    /SEARCH licenses USING INTEGER PRIMARY KEY \(rowid<\?\)/,
  ],
  'licenses of a product below an id': [
    (t) => t.licenses.list({ productId: 1 }, behind),
    /SEARCH licenses USING COVERING INDEX licenses_by_product \(product_id=\? AND id<\?\)/,
  ],
  'the number of generators': [(t) => t.generators.list(behind), /SEARCH record_counts .*\(counted=\?\)/],
  'generators below an id': [
    (t) => t.generators.list(behind),
    /SEARCH generators USING INTEGER PRIMARY KEY \(rowid<\?\)/,
  ],
  'iterating over all licenses': [
    (t) => t.licenses.after(5, 10, {}),
    /SEARCH licenses USING INTEGER PRIMARY KEY \(rowid>\?\)/,
  ],
  'licenses of an order': [(t) => t.licenses.list({ orderId: 1 }, page), /INDEX licenses_by_order/],
  'licenses of a product': [(t) => t.licenses.list({ productId: 1 }, page), /INDEX licenses_by_product/],
  'licenses of a user': [(t) => t.licenses.list({ userId: 1 }, page), /INDEX licenses_by_user/],
  'licenses with a status': [(t) => t.licenses.list({ status: [1] }, page), /INDEX licenses_by_status/],
  'licenses with a source': [(t) => t.licenses.list({ source: 1 }, page), /INDEX licenses_by_source/],
  'licenses listed by key': [
    (t) => t.licenses.list({ license: { key: 'K' } }, page),
    /INDEX licenses_by_key_hash/,
  ],
  'a license by id': [(t) => t.licenses.find({ id: 1 }), /SEARCH licenses USING INTEGER PRIMARY KEY/],
  'licenses without an ending': [
    (t) => t.licenses.convert('key_suffixes', 5, 10),
    /SEARCH licenses USING INDEX licenses_without_ending \(id>\?\)/,
  ],
  'licenses without a blind index': [
    (t) => t.licenses.convert('key_indexes', 5, 10),
    /SEARCH licenses USING INDEX licenses_with_hash \(id>\?\)/,
  ],
  'tokens in plain text': [
    (t) => t.licenses.convert('tokens', 5, 10),
    /SEARCH activations USING INDEX activations_with_clear_token \(id>\?\)/,
  ],
  'licenses by an ending': [
    (t) => t.licenses.search({ terms: [{ by: 'ending', ending: 'ABCD' }] }, searched),
    /SEARCH licenses USING COVERING INDEX licenses_by_ending \(ending_hash=\? AND id<\?\)/,
  ],
  'licenses by a longer ending': [
    (t) => t.licenses.search({ terms: [{ by: 'ending', ending: 'ABCDE' }] }, searched),
    /SEARCH licenses USING INDEX licenses_by_ending \(ending_hash=\?\)/,
  ],
  'licenses by the label of an activation': [
    (t) => t.licenses.search({ terms: [{ by: 'label', prefix: 'a' }] }, searched),
    /SEARCH activations USING COVERING INDEX activations_by_label \(<expr>>\? AND <expr><\?\)/,
  ],
  'licenses by the address of an activation': [
    (t) => t.licenses.search({ terms: [{ by: 'address', address: '::1' }] }, searched),
    /SEARCH activations USING COVERING INDEX activations_by_address \(ip_address=\?\)/,
  ],
  'licenses by the email address of their customer': [
    (t) => t.licenses.search({ terms: [{ by: 'email', start: 'a' }] }, searched),
    /SEARCH licenses USING COVERING INDEX licenses_by_email \(<expr>>\? AND <expr><\?\)/,
  ],
  'licenses that expire in a period': [
    (t) => t.licenses.search({ expiry: { from: null, before: NOW } }, searched),
    /SEARCH licenses USING COVERING INDEX licenses_by_expiry \(expires_at<\?\)/,
  ],
  'licenses that never expire': [
    (t) => t.licenses.search({ expiry: 'never' }, searched),
    /SEARCH licenses USING COVERING INDEX licenses_by_expiry \(expires_at=\? AND id<\?\)/,
  ],
  'activations of a license': [
    (t) => t.activations.search({ licenseId: 1 }, searched),
    /SEARCH activations USING COVERING INDEX activations_by_license \(license_id=\? AND id<\?\)/,
  ],
  'activations from an address': [
    (t) => t.activations.search({ address: '::1' }, searched),
    /SEARCH activations USING COVERING INDEX activations_by_address \(ip_address=\? AND id<\?\)/,
  ],
  'the newest activations': [
    (t) => t.activations.search({}, searched),
    /SEARCH activations USING INTEGER PRIMARY KEY \(rowid<\?\)/,
  ],
  'an API key': [
    (t) => t.apiKeys.findByHash(new Uint8Array(32)),
    /SEARCH api_keys USING INDEX api_keys_by_key_hash/,
  ],
  'a generator': [(t) => t.generators.find(1), /SEARCH generators USING INTEGER PRIMARY KEY/],
  'a user': [(t) => t.users.find(1), /SEARCH users USING INTEGER PRIMARY KEY/],
  'conflicts of a batch': [
    (t) => t.staged.conflicts('b'),
    /SEARCH licenses USING INDEX licenses_by_key_hash/,
  ],
  'changes of a record': [
    (t) => t.audit.list(aboutOne, ids),
    /SEARCH audit_entries USING INDEX audit_entries_by_subject \(subject_type=\? AND subject_id=\? AND id>\? AND id<\?\)/,
  ],
  'changes of all records': [
    (t) => t.audit.list({ ...aboutOne, subject: null }, ids),
    /SEARCH audit_entries USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/,
  ],
  'audit entries outside the chain': [
    (t) => t.audit.unchained(ids),
    /SEARCH audit_entries USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)\n.*\nSEARCH audit_chain USING (COVERING )?INDEX audit_chain_by_entry \(entry_id=\?\)/,
  ],
  'links of the chain': [
    (t) => t.audit.links(5, 10),
    /SEARCH audit_chain USING INTEGER PRIMARY KEY \(rowid>\?\)\nSEARCH audit_entries USING INTEGER PRIMARY KEY/,
  ],
  staging: [(t) => t.staged.insert('b', [{ ...row, key: 'K', row: 1 }], NOW), /^(?!.*SCAN)/],
};

/** Look-ups that sort a few rows: those of one batch, of one software, or of the releases. */
export const SORTED = [
  'deleted licenses with a key',
  'the most downloaded versions',
  'the most downloaded versions of a product',
  'versions that check for updates most',
  'versions of a product that check for updates most',
  'conflicts of a batch',
  'counts of downloads',
  'licenses by the label of an activation',
  'licenses by the address of an activation',
  'licenses by the email address of their customer',
  'licenses that expire in a period',
];
