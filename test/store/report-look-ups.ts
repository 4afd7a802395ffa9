import type { LookUps } from './release-look-ups.ts';

const AT = '2026-01-01 00:00:00';
const day = { from: AT, before: '2026-01-02 00:00:00' };

/** Like LOOK_UPS, for the dashboard. */
export const REPORT_LOOK_UPS: LookUps = {
  'licenses created on a day': [
    (t) => t.reports.licensesMade(day, null, null),
    /^(SEARCH licenses USING COVERING INDEX licenses_by_created_at \(created_at>\? AND created_at<\?\)\n?)+$/,
  ],
  'licenses created at a time, above an id': [
    (t) => t.reports.licensesMade(day, { at: AT, id: 5 }, null),
    /^(SEARCH licenses USING COVERING INDEX licenses_by_created_at \(created_at=\? AND id>\?\)\n?)+$/,
  ],
  'licenses with a status, for a count': [
    (t) => t.reports.licensesOf({ status: 3 }, 5),
    /^(SEARCH licenses USING COVERING INDEX licenses_by_status \(status=\? AND (id|rowid)>\?\)\n?)+$/,
  ],
  'seats in use': [
    (t) => t.reports.seatsTaken(null),
    /^(SEARCH activations USING INDEX activations_valid \(license_id>\?\)\n?)+$/,
  ],
  'seats in use, after a cursor': [
    (t) => t.reports.seatsTaken({ licenseId: 5, id: 5 }),
    /^(SEARCH activations USING INDEX activations_valid \(license_id=\? AND (id|rowid)>\?\)\n?)+$/,
  ],
  'lapsed seats': [
    (t) => t.reports.seatsLapsed(AT, 5, 1_000),
    /^SEARCH activations USING INDEX activations_lapsing \(license_id>\? AND license_id<\?\)\n?$/,
  ],
  'the most downloaded versions': [
    (t) => t.reports.mostDownloaded('2031-05-10', 5, null),
    /SEARCH download_counts USING INDEX download_counts_by_day \(day>\?\)/,
  ],
  'licenses that expire soon': [
    (t) => t.reports.expiring(day, 10, null),
    /^SEARCH licenses USING INDEX licenses_by_expiry \(expires_at>\? AND expires_at<\?\)$/,
  ],
  'the number of licenses that expire soon': [
    (t) => t.reports.countExpiring(day, 1_001, null),
    /^SEARCH licenses USING COVERING INDEX licenses_by_expiry \(expires_at>\? AND expires_at<\?\)\n?$/,
  ],
  'downloads on a day': [
    (t) => t.reports.downloadsOn('2026-01-01', null),
    /^SEARCH download_counts USING (COVERING )?INDEX download_counts_by_day \(day=\?\)$/,
  ],
  'licenses of a product, created on a day': [
    (t) => t.reports.licensesMade(day, null, 7),
    /^(SEARCH licenses USING COVERING INDEX licenses_by_product_and_creation \(product_id=\? AND created_at>\? AND created_at<\?\)\n?)+$/,
  ],
  'licenses of a product, created at a time, above an id': [
    (t) => t.reports.licensesMade(day, { at: AT, id: 5 }, 7),
    /^(SEARCH licenses USING COVERING INDEX licenses_by_product_and_creation \(product_id=\? AND created_at=\? AND id>\?\)\n?)+$/,
  ],
  'licenses of a product, for a count': [
    (t) => t.reports.licensesOf({ productId: 7 }, 5),
    /^(SEARCH licenses USING COVERING INDEX licenses_by_product \(product_id=\? AND (id|rowid)>\?\)\n?)+$/,
  ],
  'licenses of a product that expire soon': [
    (t) => t.reports.expiring(day, 10, 7),
    /^SEARCH licenses USING INDEX licenses_by_product_and_expiry \(product_id=\? AND expires_at>\? AND expires_at<\?\)$/,
  ],
  'the number of licenses of a product that expire soon': [
    (t) => t.reports.countExpiring(day, 1_001, 7),
    /^SEARCH licenses USING COVERING INDEX licenses_by_product_and_expiry \(product_id=\? AND expires_at>\? AND expires_at<\?\)\n?$/,
  ],
  'downloads of a product on a day': [
    (t) => t.reports.downloadsOn('2026-01-01', 7),
    /^SEARCH download_counts USING .*day=\?/,
  ],
  'the most downloaded versions of a product': [
    (t) => t.reports.mostDownloaded('2031-05-10', 5, 7),
    /^SEARCH download_counts USING .*day>\?/,
  ],
  'versions that check for updates most': [
    (t) => t.reports.mostChecked('2031-05-10', 5, null),
    /SEARCH version_checks USING INDEX version_checks_by_day \(day>\?\)/,
  ],
  'versions of a product that check for updates most': [
    (t) => t.reports.mostChecked('2031-05-10', 5, 7),
    /SEARCH version_checks USING .*day>\?/,
  ],
  'update checks since a day': [
    (t) => t.reports.checksSince('2031-05-10', null),
    /^SEARCH version_checks USING INDEX version_checks_by_day \(day>\?\)$/,
  ],
  'renewals on a day': [
    (t) => t.reports.renewalsOn('2026-01-01', null),
    /^SEARCH renewal_counts USING INDEX \S*renewal_counts_1 \(day=\?\)$/,
  ],
  'renewals of a product on a day': [
    (t) => t.reports.renewalsOn('2026-01-01', 7),
    /^SEARCH renewal_counts USING INDEX \S*renewal_counts_1 \(day=\? AND product_id=\?\)$/,
  ],
};
