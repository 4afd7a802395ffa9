/**
 * A signal that comes within this many milliseconds after the first one repeats it. On Ctrl+C, the terminal signals npm
 * and the program that npm runs, and npm passes its signal on to the program.
 */
const REPEAT_MS = 500;

/** Returns a listener that handles the first signal and later ones, but no repeat of the first one. */
export function onSignals<S>(first: (signal: S) => void, later: (signal: S) => void): (signal: S) => void {
  let begun: number | null = null;
  return (signal) => {
    if (begun === null) {
      begun = performance.now();
      first(signal);
    } else if (performance.now() - begun > REPEAT_MS) later(signal);
  };
}
