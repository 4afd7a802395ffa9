import { readState, type State } from './state.ts';
import type { Storage } from './storage.ts';

/** The state in the storage. Changes run one at a time. */
export interface StateStore {
  /** Reads the state. @throws what the storage throws */
  load(): Promise<State>;
  /** Saves the state if there is none. Does nothing in a storage without `create`. @throws what the storage throws */
  create(state: State): Promise<void>;
  /**
   * Changes the state. If it cannot be saved, the change stays in memory until another process saves.
   * @throws what `load` throws
   */
  update(change: (state: State) => void): Promise<State>;
  /** Changes and saves the state. @throws what the storage throws */
  save(change: (state: State) => void): Promise<State>;
}

export function openStateStore(storage: Storage): StateStore {
  /** A state that could not be saved, and the text that it would have replaced. */
  let unsaved: { state: State; text: string | null } | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  // Another process that saves replaces the text: then its state counts.
  const stateFor = (text: string | null): State =>
    unsaved !== null && unsaved.text === text ? structuredClone(unsaved.state) : readState(text);
  const write = async (change: (state: State) => void, mustSave: boolean): Promise<State> => {
    const text = await storage.load();
    const state = stateFor(text);
    change(state);
    try {
      await storage.save(JSON.stringify(state));
      unsaved = null;
    } catch (error) {
      if (mustSave) throw error;
      unsaved = { state, text };
    }
    return state;
  };
  const inTurn = (change: (state: State) => void, mustSave: boolean): Promise<State> => {
    const written = queue.then(() => write(change, mustSave));
    queue = written.catch(() => undefined);
    return written;
  };
  return {
    load: async () => stateFor(await storage.load()),
    create: async (state) => storage.create?.(JSON.stringify(state)),
    update: (change) => inTurn(change, false),
    save: (change) => inTurn(change, true),
  };
}
