import { printError } from "./print.ts";

/** The time from the start of a step to its first line. */
const DELAY_MS = 1_000;

const INTERVAL_MS = 5_000;

export interface Progress {
  /** @param total The new total, if it has changed */
  update(done: number, total?: number): void;
  close(): void;
}

/** Prints the progress, the rate and the remaining time of a step on standard error, after one second and then every five seconds. */
export function openProgress(
  name: string,
  { total, unit = "records" }: { total?: number | undefined; unit?: string } = {},
): Progress {
  const step: Step = { unit, total, done: 0, startedAt: Date.now() };
  const print = () => {
    printError(`${name}: ${formatProgress(step)}`);
    timer = setTimeout(print, INTERVAL_MS).unref();
  };
  let timer = setTimeout(print, DELAY_MS).unref();
  return {
    update(done, total = step.total) {
      step.done = done;
      // The total can be an estimate that is too low.
      step.total = total === undefined ? undefined : Math.max(done, total);
    },
    close: () => clearTimeout(timer),
  };
}

interface Step {
  unit: string;
  total: number | undefined;
  done: number;
  startedAt: number;
}

/** Formats the number of units, the rate and the remaining time, such as `450/1000 records, 500 records/s, 1s left`. */
function formatProgress({ unit, total, done, startedAt }: Step): string {
  const elapsed = Math.max(1, Date.now() - startedAt) / 1_000;
  const count = `${done}${total === undefined ? "" : `/${total}`} ${unit}`;
  if (done === 0) {
    const soFar = `${formatDuration(elapsed)} so far`;
    return total === undefined ? soFar : `${count}, ${soFar}`;
  }
  const rate = done / elapsed;
  const speed = `${count}, ${rate < 10 ? Number(rate.toFixed(1)) : Math.round(rate)} ${unit}/s`;
  if (total === undefined) return speed;
  return `${speed}, ${formatDuration((total - done) / rate)} left`;
}

function formatDuration(seconds: number): string {
  const rounded = Math.ceil(seconds);
  const minutes = Math.floor(rounded / 60);
  return `${minutes > 0 ? `${minutes}m` : ""}${rounded % 60}s`;
}
