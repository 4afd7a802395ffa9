import type { Datetime } from '../domain/datetime.ts';

/** The database is away, locked for too long, or full: try again later. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}
/** What is kept is no database, or parts of it cannot be read: nothing that waiting would mend. */
export class StoreDamaged extends Error {
  override name = 'StoreDamaged';
}
/** The master key is not the one that the database was made with. */
export class WrongMasterKey extends Error {
  override name = 'WrongMasterKey';
  readonly retiredAt: Datetime | null;
  /** @param retiredAt when this key was the database's, and another took its place; null where it never was */
  constructor(retiredAt: Datetime | null = null) {
    super(
      retiredAt === null
        ? 'the database was made with another master key: put the one back that it was made with'
        : `this master key was retired on ${retiredAt} UTC: give the new one that took its place`,
    );
    this.retiredAt = retiredAt;
  }
}
/** A unique value exists already. */
export class UniqueViolation extends Error {
  override name = 'UniqueViolation';
}
