/** Times of one kind of request, in microseconds. */
export type Sample = readonly number[];

export interface Compared {
  medians_us: [number, number];
  /** Difference of the medians. */
  apart_us: number;
  /** Welch's t of the times below the 95th percentile of both: slower times come from other work of the machine. */
  t: number;
  /** The difference of the means in standard deviations; below 0.2 counts as small. */
  effect: number;
  /** How often a time of the first kind is longer than one of the second: at 0.5 the kinds cannot be told apart. */
  longer: number;
}

export function compare(one: Sample, other: Sample): Compared {
  const limit = quantile([...one, ...other], 0.95);
  const [a, b] = [one, other].map((sample) => spread(sample.filter((time) => time <= limit)));
  if (!a || !b) throw new Error('there is nothing to compare');
  const error = Math.sqrt(a.variance / a.size + b.variance / b.size);
  const deviation = Math.sqrt((a.variance + b.variance) / 2);
  const medians: [number, number] = [quantile(one, 0.5), quantile(other, 0.5)];
  return {
    medians_us: [rounded(medians[0]), rounded(medians[1])],
    apart_us: rounded(medians[0] - medians[1]),
    t: rounded((a.mean - b.mean) / error),
    effect: rounded((a.mean - b.mean) / deviation),
    longer: rounded(longerShare(one, other)),
  };
}

function spread(sample: Sample) {
  const mean = sample.reduce((sum, time) => sum + time, 0) / sample.length;
  const variance = sample.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (sample.length - 1);
  return { mean, variance, size: sample.length };
}

function quantile(sample: Sample, part: number): number {
  return sample.toSorted((one, other) => one - other)[Math.floor(part * (sample.length - 1))] as number;
}

/** Returns Mann and Whitney's U as a share of all pairs. */
function longerShare(one: Sample, other: Sample): number {
  const all = [
    ...one.map((time) => ({ time, isOne: true })),
    ...other.map((time) => ({ time, isOne: false })),
  ];
  all.sort((a, b) => a.time - b.time);
  let [below, longer] = [0, 0];
  for (const { isOne } of all) {
    if (isOne) longer += below;
    else below++;
  }
  return longer / (one.length * other.length);
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
