/** The file of a release is not what it was when it was published, or is not there any more; the message names it. */
export class FileLost extends Error {
  override name = 'FileLost';
}
