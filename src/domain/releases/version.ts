import { bad, type Field, good, refined, text } from '../fields.ts';

/**
 * Versions, ordered as in Semantic Versioning 2.0.0 (section 11), extended to looser forms in use.
 *
 * Form: an optional `v`, then numbers separated by dots (`1.4`, `6.8.1.2`). Then optionally a pre-release: identifiers
 * separated by dots, after a hyphen (`2.0.0-rc.1`), or, if the first begins with a letter, with a dot or nothing before it
 * (`2.0.dev3`, `2.0rc1`); in this looser form a change between letters and digits separates identifiers too. Then
 * optionally `+` and build metadata, which does not affect the order.
 *
 * Order: numbers compare numerically; a missing number is 0 (1.4 is 1.4.0). A pre-release comes before its release.
 * Numeric identifiers come before others and compare numerically; others compare by ASCII (so `-rc.10` > `-rc.9`, but
 * `-rc10` < `-rc9`, and `RC` < `beta`). If one pre-release is the prefix of another, the longer is later.
 */
const FORM =
  /^[vV]?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)|\.?([A-Za-z][0-9A-Za-z-]*(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

const VERSION_MAX = 64;

/** Marks in ASCII order: a shorter pre-release comes first, a release after its pre-releases. */
const END = '!';
const PRE_RELEASE = '"';
const RELEASE = '#';
/** NUMBER precedes numeric identifiers, TEXT all others. */
const NUMBER = '0';
const TEXT = 'A';

/** Returns the sort key of a version: ASCII text whose byte order is the order of versions; null for an invalid version. */
export function versionOrder(version: string): string | null {
  const match = version.length <= VERSION_MAX ? FORM.exec(version) : null;
  if (!match) return null;
  const [, numbers = '', hyphenated, attached] = match;
  const release = numbers.replace(/(\.0+)+$/, '').split('.');
  const pre = hyphenated ?? attached?.replace(/(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])/g, '.');
  return release.map(numberOrder).join('') + (pre === undefined ? RELEASE : preReleaseOrder(pre));
}

const preReleaseOrder = (pre: string): string =>
  PRE_RELEASE +
  pre
    .split('.')
    .map((id) => (/^\d+$/.test(id) ? NUMBER + numberOrder(id) : TEXT + id + END))
    .join('') +
  END;

/** Prefixes a number with its count of digits, so that a number with more digits sorts higher. */
function numberOrder(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, '');
  return String(significant.length).padStart(2, '0') + significant;
}

const versionText = text({
  min: 1,
  max: VERSION_MAX,
  description: 'SemVer (2.0.0-rc.1) or looser (1.4, 6.8.1.2)',
});

export const version: Field<string> = refined(
  versionText,
  (sent) => (versionOrder(sent) === null ? bad('not_version') : good(sent)),
  { ...versionText.schema, examples: ['1.4.0'] },
);
