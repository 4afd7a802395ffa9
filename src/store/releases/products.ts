/** Products are numbers of another system, with no table of their own: there are those that records name. */
export interface ProductReads {
  /** Those of licenses, lowest first, at most so many. */
  ofLicenses(atMost: number): Promise<number[]>;
  /** Those that software names, lowest first, at most so many. */
  ofSoftware(atMost: number): Promise<number[]>;
  /** What the software is called that names some products, oldest first, at most NAMES_MAX of each; others are left out. */
  names(ids: readonly number[]): Promise<Map<number, string[]>>;
}

export const NAMES_MAX = 3;
