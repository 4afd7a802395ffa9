import { done, type Outcome, type Refused } from '../domain/refusal.ts';
import { UniqueViolation } from '../store/store.ts';

/** Runs a write and returns its result; `refused` if another record already has a value that must be unique. */
export async function unlessTaken<T>(refused: Refused, write: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return done(await write());
  } catch (error) {
    if (error instanceof UniqueViolation) return refused;
    throw error;
  }
}
