/** Keeps a single text. A rejected promise means that the text cannot be accessed now, not that there is none. */
export interface Storage {
  /** @returns null if there is no text, or if it is damaged */
  load(): Promise<string | null>;
  /** Replaces the text atomically. */
  save(text: string): Promise<void>;
  /**
   * Keeps the text if there is none yet. Without this method, two programs that create the device at the same time can take
   * two seats.
   */
  create?(text: string): Promise<void>;
  clear(): Promise<void>;
}

/** Returns a storage that keeps the text in memory, until the program ends. */
export function memoryStorage(kept: string | null = null): Storage {
  return {
    load: async () => kept,
    save: async (text) => {
      kept = text;
    },
    clear: async () => {
      kept = null;
    },
  };
}
