import cliProgress from "cli-progress";
import type { Progress } from "../../data/staging/read-files.ts";

const { Format, Presets, SingleBar } = cliProgress;

/** How long a step runs before its first line in a log. */
const LOG_DELAY_MS = 1_000;

/** A log keeps every line, so it gets one less often than a terminal. */
const LOG_INTERVAL_MS = 5_000;

/** A line of a log appears at most this long after its time, if no update arrives. */
const LOG_TICK_MS = 100;

interface ProgressOptions {
  /** How many there are to do, if known. */
  total?: number | undefined;
  /** What is counted, `records` by default. */
  unit?: string;
  /** The output file of the step. If it is `-` and standard output is a terminal, no progress is shown. */
  out?: string;
}

interface Step {
  /** What is happening, such as `reading`. */
  name: string;
  unit: string;
  total: number | undefined;
  done: number;
  startedAt: number;
  updatedAt: number;
}

/** Prints a line above the bar on the terminal; undefined while there is no bar. */
let printAboveBar: ((line: string) => void) | undefined;

/**
 * Shows on standard error how much of a long step is done, how fast it runs and how much time is left. A terminal shows
 * one line that is rewritten; a log gets a line after one second and then every few seconds. Only one step can be shown
 * at a time.
 * @param name what is happening, such as `reading`
 */
export function openProgress(name: string, { total, unit = "records", out }: ProgressOptions = {}): Progress {
  if (out === "-" && process.stdout.isTTY) return { update() {}, close() {} };
  const startedAt = Date.now();
  const step: Step = { name, unit, total, done: 0, startedAt, updatedAt: startedAt };
  const { show, close } = process.stderr.isTTY ? openBar(step) : openLog(step);
  return {
    update(done, newTotal = step.total) {
      // More may be done than was expected.
      const total = newTotal && Math.max(done, newTotal);
      Object.assign(step, { done, total, updatedAt: Date.now() });
      show();
    },
    close,
  };
}

/** Prints a line on standard error, above the progress bar if one is shown. */
export function printNotice(line: string): void {
  (printAboveBar ?? console.error)(line);
}

function openBar(step: Step) {
  const format: cliProgress.GenericFormatter = (options, { progress }) => {
    const bar = step.total === undefined ? "" : `${Format.BarFormat(progress, options)} `;
    return `${step.name} ${bar}${formatProgress(step)}`;
  };
  // The rest of the line fits into 80 columns. gracefulExit would add signal handlers, but `runProgram` handles signals.
  const options = { format, barsize: 20, hideCursor: true, clearOnComplete: true, gracefulExit: false };
  const bar = new SingleBar(options, Presets.shades_classic);
  const draw = () => bar.start(step.total ?? 0, step.done);
  const close = () => {
    bar.stop();
    printAboveBar = undefined;
    process.off("exit", close);
  };
  printAboveBar = (line) => {
    bar.stop();
    console.error(line);
    draw();
  };
  process.once("exit", close); // Otherwise the cursor would stay hidden after the process has ended.
  draw();
  const show = () => {
    bar.setTotal(step.total ?? 0);
    bar.update(step.done);
  };
  return { show, close };
}

function openLog(step: Step) {
  let printAt = Date.now() + LOG_DELAY_MS;
  const show = () => {
    if (Date.now() < printAt) return;
    printAt = Date.now() + LOG_INTERVAL_MS;
    console.error(`${step.name}: ${formatProgress(step)}`);
  };
  const timer = setInterval(show, LOG_TICK_MS).unref();
  return { show, close: () => clearInterval(timer) };
}

/** Describes how many are done, how many per second, and how long the rest takes at that rate. */
function formatProgress({ unit, total, done, startedAt, updatedAt }: Step): string {
  const secondsUntil = (time: number) => Math.max(1, time - startedAt) / 1_000;
  const elapsed = secondsUntil(Date.now());
  const count = `${done}${total === undefined ? "" : `/${total}`} ${unit}`;
  if (done === 0) {
    const soFar = `${formatDuration(elapsed)} so far`;
    return total === undefined ? soFar : `${count}, ${soFar}`;
  }
  let rate = done / secondsUntil(updatedAt);
  // All should be done already, so this rate was too high.
  if (total !== undefined && done < total && total / rate < elapsed) rate = done / elapsed;
  const speed = `${count}, ${rate < 10 ? Number(rate.toFixed(1)) : Math.round(rate)} ${unit}/s`;
  if (total === undefined) return speed;
  return `${speed}, ${formatDuration(Math.max(0, total / rate - elapsed))} left`;
}

/** Like the format of cli-progress, which shows only the last two digits of the hours. */
function formatDuration(seconds: number): string {
  const total = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60];
  if (hours > 0) return `${hours}h${minutes}m`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}
