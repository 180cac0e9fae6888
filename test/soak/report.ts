import type { Findings } from "./clients.ts";

/** Memory growth up to this share and amount may come from the garbage collector; only more growth is a problem. */
const GROWTH = { share: 0.2, mib: 16 };

/** In a shorter run, the runtime still grows to its usual size, so growth of memory is not a problem. */
const JUDGED_SECONDS = 240;

/**
 * Prints the figures of a run and any problems.
 * @param samples the runtime's memory in MiB, one value per second; empty if it cannot be measured
 * @returns whether there are no problems
 */
export function report(findings: Findings, samples: number[], seconds: number): boolean {
  const all = [...findings.times.values()].flat();
  const kinds = [...findings.times].toSorted(([, one], [, other]) => other.length - one.length);
  console.table(
    Object.fromEntries([...kinds, ["all", all] as const].map(([name, times]) => [name, sum(times, seconds)])),
  );
  const quarters = [0, 1, 2, 3].map((quarter) =>
    median(samples.slice((samples.length * quarter) / 4, (samples.length * (quarter + 1)) / 4)),
  );
  console.table({
    "5xx responses": findings.serverErrors,
    "wrong responses": findings.wrong,
    "MiB at the start": round(samples[0]),
    ...Object.fromEntries(quarters.map((mib, index) => [`MiB in quarter ${index + 1}`, round(mib)])),
    "MiB at the end": round(samples.at(-1)),
  });
  const problems = [...findings.examples];
  if (all.length === 0) problems.push("No request got a response.");
  if (samples.length === 0) console.log("Memory was not measured: there is no /proc.");
  else if (seconds < JUDGED_SECONDS) console.log("Memory is not judged in less than four minutes.");
  else if (grows(quarters[1]!, quarters[3]!)) problems.push("Memory grows.");
  for (const problem of problems) console.error(problem);
  return problems.length === 0;
}

function grows(before: number, after: number): boolean {
  return after > before * (1 + GROWTH.share) + GROWTH.mib;
}

function sum(times: number[], seconds: number) {
  const sorted = times.toSorted((one, other) => one - other);
  return {
    requests: times.length,
    "requests/s": round(times.length / seconds),
    "p50 ms": round(quantile(sorted, 0.5)),
    "p99 ms": round(quantile(sorted, 0.99)),
    "max ms": round(sorted.at(-1)),
  };
}

function quantile(sorted: number[], share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function median(values: number[]): number | undefined {
  return quantile(
    values.toSorted((one, other) => one - other),
    0.5,
  );
}

function round(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * 10) / 10;
}
