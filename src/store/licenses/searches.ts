import type { Activation, LicensedActivation } from '../../domain/activation.ts';
import type { License } from '../../domain/license.ts';
import type { Term } from '../../domain/license-search.ts';
import type { Channel } from '../../domain/release.ts';

/** A page of the releases of software, highest version first. */
export interface ReleasePage {
  /** Only of this channel; null for all. */
  channel: Channel | null;
  /** Only lower versions than this one, whether there is a release of it or not; null for the highest. */
  before: string | null;
  limit: number;
}

/** A page of what was looked for, newest first. */
export interface SearchPage {
  /** Only records with a lower id; null for the newest. */
  before: number | null;
  limit: number;
  /** Whether to count all that match. */
  counted: boolean;
}

export interface Found<T, Place = number> {
  items: T[];
  /** What the next page is `before`; null at the end. */
  next: Place | null;
  /** Records that match, on all pages, as far as they were counted: 10,000 at most. */
  total: number;
  /** Whether there are more than that, or may be. */
  totalIsMore: boolean;
}

export interface FoundLicenses extends Found<License> {
  /** What the text was that was looked for, by which licenses of this page were found. */
  matched: Term[];
  /** Whether more keys than can be opened have the last characters in common: only the newest were looked through. */
  isCut: boolean;
}

export interface NamedActivation {
  activation: Activation;
  /** Of the software that it was made for; null where there is none any more. */
  softwareName: string | null;
}

export type FoundActivation = LicensedActivation & NamedActivation;
