import type { Datetime } from '../domain/datetime.ts';

/** The database cannot be reached, is locked for too long, or is full. A later attempt may succeed. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}
/** The file is not a database, or parts of it cannot be read. Waiting does not help. */
export class StoreDamaged extends Error {
  override name = 'StoreDamaged';
}
/** The given master key is not the database's master key. */
export class WrongMasterKey extends Error {
  override name = 'WrongMasterKey';
  readonly retiredAt: Datetime | null;
  /** @param retiredAt when a rotation replaced this key; null where it never was the database's key */
  constructor(retiredAt: Datetime | null = null) {
    super(
      retiredAt === null
        ? 'the database was made with another master key: put that key back'
        : `this master key was retired on ${retiredAt} UTC: use the new one`,
    );
    this.retiredAt = retiredAt;
  }
}
/** A unique value exists already. */
export class UniqueViolation extends Error {
  override name = 'UniqueViolation';
}
