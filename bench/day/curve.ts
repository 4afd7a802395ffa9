/** Time zones of the installs: hours ahead of UTC, and share of all installs. */
export type Zones = readonly (readonly [hours: number, part: number])[];

export const WORLD: Zones = [
  ...([
    [-8, 0.1],
    [-6, 0.08],
    [-5, 0.14],
  ] as const),
  ...([
    [0, 0.1],
    [1, 0.24],
    [2, 0.08],
    [3, 0.05],
  ] as const),
  ...([
    [5.5, 0.06],
    [8, 0.08],
    [9, 0.05],
    [10, 0.02],
  ] as const),
];
export const ONE_ZONE: Zones = [[1, 1]];

export const MINUTES = 1_440;

/** When programs start, in local time: hour, spread in hours, share. The rest starts at any time. */
const STARTS = [
  [9, 0.75, 0.6],
  [13.5, 1.5, 0.25],
] as const;

/** Returns the share of a day's starts that falls into each minute of UTC. */
export function startsByMinute(zones: Zones): number[] {
  const local = Array.from({ length: MINUTES }, (_, minute) => {
    let density = (1 - STARTS.reduce((sum, [, , part]) => sum + part, 0)) / MINUTES;
    for (const [hour, spread, part] of STARTS) {
      const off = ((minute + 0.5) / 60 - hour) / spread;
      density += (part * Math.exp(-(off ** 2) / 2)) / (spread * 60 * Math.sqrt(2 * Math.PI));
    }
    return density;
  });
  return local.map((_, minute) =>
    zones.reduce((sum, [hours, part]) => {
      const at = (((minute + hours * 60) % MINUTES) + MINUTES) % MINUTES;
      return sum + part * (local[at] as number);
    }, 0),
  );
}

/** Returns the ratio of the busiest minute to the average minute. */
export const peakOf = (minutes: readonly number[]): number => Math.max(...minutes) * MINUTES;
