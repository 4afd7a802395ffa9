/** Keeps one text. A rejected promise means that the text is out of reach for now, not that there is none. */
export interface Storage {
  /** @returns null if there is none, or if what is there is damaged */
  load(): Promise<string | null>;
  /** Replaces the text, completely or not at all. */
  save(text: string): Promise<void>;
  clear(): Promise<void>;
}

/** Keeps the text until the program ends. */
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
