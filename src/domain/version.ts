import { bad, type Field, text } from './fields.ts';

/**
 * Versions, ordered as Semantic Versioning 2.0.0 orders them (section 11), and beyond it for the looser forms in use.
 *
 * A version is numbers with dots between them, as many as one likes (`1.4`, `6.8.1.2`), a `v` before them counting for
 * nothing; then, optionally, a pre-release: identifiers with dots between them, after a hyphen (`2.0.0-rc.1`) or, where
 * they begin with a letter, right there (`2.0rc1`) or after a dot (`2.0.dev3`), where a change from letters to digits is
 * a dot, too; then, optionally, `+` and build metadata.
 *
 * Numbers compare as numbers, one by one; a number that is not there is 0 (1.4 is 1.4.0). Of equal numbers, a
 * pre-release comes before the release. Identifiers of digits compare as numbers and come before all others; others
 * compare by ASCII (so `-rc.10` > `-rc.9`, but `-rc10` < `-rc9`, and `RC` < `beta`); of two pre-releases of which one
 * begins the other, the longer is later. Build metadata counts for nothing. Versions that are neither earlier nor
 * later than each other are the same version.
 */
const FORM =
  /^[vV]?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)|\.?([A-Za-z][0-9A-Za-z-]*(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

const VERSION_MAX = 64;

/** Marks in an order, each before the next by ASCII: what ends early comes first, and a release after its pre-releases. */
const END = '!';
const PRE_RELEASE = '"';
const RELEASE = '#';
/** Before an identifier of digits, and before any other. */
const NUMBER = '0';
const TEXT = 'A';

/**
 * ASCII text that stands for a version in comparisons: compared byte by byte, it is before, equal to, or after that of
 * another version as the versions are. Null for what is no version.
 */
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

/** How many digits come first: of two numbers, the one with more is greater. */
function numberOrder(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, '');
  return String(significant.length).padStart(2, '0') + significant;
}

/** Below 0 where `a` is earlier than `b`, above where it is later, 0 where they are the same version. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [versionOrder(a), versionOrder(b)];
  if (first === null || second === null) throw new RangeError('no version');
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

const versionText = text({
  min: 1,
  max: VERSION_MAX,
  description: 'SemVer (2.0.0-rc.1) or looser (1.4, 6.8.1.2)',
});

export const version: Field<string> = {
  schema: { ...versionText.schema, examples: ['1.4.0'] },
  read(value) {
    const read = versionText.read(value);
    if (!read.ok || versionOrder(read.value) !== null) return read;
    return bad('not_version');
  },
};
