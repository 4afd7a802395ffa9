/** The file of a release is missing or has changed. The message names it. */
export class FileLost extends Error {
  override name = 'FileLost';
}
