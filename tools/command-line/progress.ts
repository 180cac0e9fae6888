import cliProgress from "cli-progress";
import type { Progress } from "../../data/staging/read-files.ts";

const { Format, Presets, SingleBar } = cliProgress;

/** How long a step runs before its first line in a log, and how often a bar is redrawn while no update arrives. */
const TICK_MS = 1_000;

/** A log keeps every line, so it gets one less often than a terminal. */
const LOG_INTERVAL_MS = 5_000;

interface ProgressOptions {
  /** How many there are to do, if known. */
  total?: number | undefined;
  /** What is counted, `records` by default. */
  unit?: string;
  /** The output file of the step. If it is `-` and standard output is a terminal, no progress is shown. */
  out?: string;
}

/** For a step whose output on the terminal already shows its progress. */
const SILENT: Progress = { update() {}, close() {} };

/** Prints a line above the bar on the terminal; undefined while there is no bar. */
let printAboveBar: ((line: string) => void) | undefined;

/**
 * Shows on standard error how much of a long step is done, how fast it runs and how much time is left. A terminal shows
 * one line that is rewritten; a log gets a line after one second and then every few seconds. Only one step can be shown
 * at a time.
 * @param step what is happening, such as `reading`
 */
export function openProgress(step: string, { total, unit = "records", out }: ProgressOptions = {}): Progress {
  if (out === "-" && process.stdout.isTTY) return SILENT;
  const estimate = createEstimate(unit, total);
  return process.stderr.isTTY ? openBar(step, estimate) : openLog(step, estimate);
}

/** Prints a line on standard error, above the progress bar if one is shown. */
export function printNotice(line: string): void {
  (printAboveBar ?? console.error)(line);
}

function openBar(step: string, estimate: Estimate): Progress {
  const format: cliProgress.GenericFormatter = (options, { progress }) => {
    const bar = estimate.total() === undefined ? "" : `${Format.BarFormat(progress, options)} `;
    return `${step} ${bar}${estimate.describe()}`;
  };
  // gracefulExit would add signal handlers, but `runProgram` handles signals.
  const options = { format, hideCursor: true, clearOnComplete: true, gracefulExit: false };
  const bar = new SingleBar(options, Presets.shades_classic);
  const draw = () => bar.start(estimate.total() ?? 0, estimate.done());
  const redraw = () => {
    bar.setTotal(estimate.total() ?? 0);
    bar.update(estimate.done());
  };
  const timer = setInterval(redraw, TICK_MS).unref();
  const close = () => {
    clearInterval(timer);
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
  return {
    update(done, total) {
      estimate.update(done, total);
      redraw();
    },
    close,
  };
}

function openLog(step: string, estimate: Estimate): Progress {
  let printAt = Date.now() + TICK_MS;
  const print = () => {
    if (Date.now() < printAt) return;
    printAt = Date.now() + LOG_INTERVAL_MS;
    console.error(`${step}: ${estimate.describe()}`);
  };
  const timer = setInterval(print, TICK_MS).unref();
  return {
    update(done, total) {
      estimate.update(done, total);
      print();
    },
    close: () => clearInterval(timer),
  };
}

interface Estimate {
  done(): number;
  /** Undefined if it is not known. */
  total(): number | undefined;
  update(done: number, total?: number): void;
  /** How many are done, how many per second, and how long the rest takes at that rate. */
  describe(): string;
}

function createEstimate(unit: string, initialTotal: number | undefined): Estimate {
  const startedAt = Date.now();
  const current = { done: 0, total: initialTotal, updatedAt: startedAt };
  const secondsSinceStart = (time: number) => Math.max(1, time - startedAt) / 1_000;
  /** Uses the rate at the last update, or the rate until now if the rest should already be done by then. */
  const predict = (rest: number) => {
    const rate = current.done / secondsSinceStart(current.updatedAt);
    const left = rest / rate - (Date.now() - current.updatedAt) / 1_000;
    if (left > 0 || rest === 0) return { rate, left: Math.max(0, left) };
    const seconds = secondsSinceStart(Date.now());
    return { rate: current.done / seconds, left: (rest * seconds) / current.done };
  };
  // More may be done than was expected.
  const total = () => (current.total === undefined ? undefined : Math.max(current.done, current.total));
  return {
    done: () => current.done,
    total,
    update(done, newTotal = current.total) {
      Object.assign(current, { done, total: newTotal, updatedAt: Date.now() });
    },
    describe() {
      const all = total();
      const count = `${current.done}${all === undefined ? "" : `/${all}`} ${unit}`;
      const elapsed = `${formatTime(secondsSinceStart(Date.now()))} so far`;
      // There is no rate before the first one is done.
      if (current.done === 0) return all === undefined ? elapsed : `${count}, ${elapsed}`;
      const { rate, left } = predict((all ?? current.done) - current.done);
      const speed = `${count}, ${formatRate(rate)}/s`;
      return all === undefined ? speed : `${speed}, ${formatTime(left)} left`;
    },
  };
}

function formatRate(rate: number): string {
  return rate < 10 ? String(Number(rate.toFixed(1))) : String(Math.round(rate));
}

/** Like the format of cli-progress, which shows only the last two digits of the hours. */
function formatTime(seconds: number): string {
  const total = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60];
  if (hours > 0) return `${hours}h${minutes}m`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}
