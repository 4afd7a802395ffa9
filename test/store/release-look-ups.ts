import type { Transaction } from '../../src/store/store.ts';
import { behind, page } from '../support/list-filters.ts';

export type LookUps = Record<string, [call: (t: Transaction) => Promise<unknown>, index: RegExp]>;

/** Like LOOK_UPS, for software, releases and downloads. */
export const RELEASE_LOOK_UPS: LookUps = {
  'the oldest downloads of a license': [
    (t) => t.downloads.forget({ licenseId: 1 }, 10, 10),
    /(SEARCH downloads USING COVERING INDEX downloads_by_license [\s\S]*){2}/,
  ],
  'the oldest downloads of public software': [
    (t) => t.downloads.forget({ releaseId: 1 }, 10, 10),
    /(SEARCH downloads USING INDEX downloads_without_license [\s\S]*){2}/,
  ],
  'downloads with a license': [
    (t) => t.downloads.ofLicense(1, 100, 10),
    /SEARCH downloads USING INDEX downloads_by_license/,
  ],
  'software by id': [(t) => t.software.find(1), /SEARCH software USING INTEGER PRIMARY KEY/],
  'the products of software': [
    (t) => t.software.find(1),
    /SEARCH software_products USING (COVERING )?INDEX \S*software_products/,
  ],
  'software by slug': [(t) => t.software.findBySlug('s'), /SEARCH software USING INDEX software_by_slug/],
  'software of some products': [
    (t) => t.software.list(page, [1, 2]),
    /SEARCH software_products USING COVERING INDEX software_products_by_product/,
  ],
  'the active installs of software': [
    (t) => t.software.figures([1, 2], '2026-01-01 00:00:00'),
    /activations_installed \(software_id=\? AND seat_expires_at=\?\)[\s\S]*activations_installed \(software_id=\? AND seat_expires_at>\?\)/,
  ],
  'a release by id': [(t) => t.releases.find(1), /SEARCH releases USING INTEGER PRIMARY KEY/],
  'a release by version': [
    (t) => t.releases.findByVersion(1, '1.0'),
    /SEARCH releases USING INDEX releases_by_version \(software_id=\? AND version_order=\?\)/,
  ],
  'releases of software': [
    (t) => t.releases.list(1, page),
    /SEARCH releases USING INDEX releases_by_version \(software_id=\?\)/,
  ],
  'releases below a version': [
    (t) => t.releases.search(1, { channel: null, before: '1.0', limit: 10 }),
    /SEARCH releases USING INDEX releases_by_version \(software_id=\? AND version_order<\?\)/,
  ],
  'releases of a channel below a version': [
    (t) => t.releases.search(1, { channel: 'rc', before: '1.0', limit: 10 }),
    /SEARCH releases USING INDEX releases_by_channel \(software_id=\? AND channel=\? AND version_order<\?\)/,
  ],
  'the number of releases of a channel': [
    (t) => t.releases.search(1, { channel: 'rc', before: '1.0', limit: 0 }),
    /SEARCH releases USING COVERING INDEX releases_by_channel \(software_id=\? AND channel=\?\)/,
  ],
  'published releases': [
    (t) => t.releases.published(1, ['stable']),
    /SEARCH releases USING INDEX releases_by_version \(software_id=\?\)/,
  ],
  'an artifact by key': [
    (t) => t.artifacts.isUsed('k'),
    /SEARCH artifacts USING COVERING INDEX artifacts_by_storage_key/,
  ],
  'whether a release uses an artifact': [
    (t) => t.artifacts.dropUnused(),
    /SEARCH releases USING COVERING INDEX releases_by_artifact/,
  ],
  'counts of downloads': [
    (t) => t.downloads.counts({ softwareId: 1, releaseId: null, from: null, to: null }, page),
    /SEARCH releases USING (COVERING )?INDEX releases_by_version \(software_id=\?\)\nSEARCH download_counts USING (COVERING )?INDEX \S+ \(release_id=\?\)/,
  ],
  'the number of software records': [
    (t) => t.software.list(behind, null),
    /SEARCH record_counts .*\(counted=\?\)/,
  ],
  'software below an id': [
    (t) => t.software.list(behind, null),
    /SEARCH software USING INTEGER PRIMARY KEY \(rowid<\?\)/,
  ],
  'the products of licenses': [
    (t) => t.products.ofLicenses(200),
    /(SEARCH licenses USING COVERING INDEX licenses_by_product\w* \(product_id>\?\)[\s\S]*){2}/,
  ],
  'the products of all software': [
    (t) => t.products.ofSoftware(200),
    /(SEARCH software_products USING COVERING INDEX software_products_by_product \(product_id>\?\)[\s\S]*){2}/,
  ],
  'the names of the software of products': [
    (t) => t.products.names([1, 2]),
    /(SEARCH software_products USING COVERING INDEX software_products_by_product \(product_id=\?\)\nSEARCH software USING INTEGER PRIMARY KEY[\s\S]*){3}/,
  ],
};
