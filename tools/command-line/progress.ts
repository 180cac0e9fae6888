import cliProgress from "cli-progress";
import { printError } from "./print.ts";

const { Format, Presets, SingleBar } = cliProgress;

/** The time from the start of a step to its first line in a log. */
const LOG_DELAY_MS = 1_000;

const LOG_INTERVAL_MS = 5_000;

export interface Progress {
  /** @param total The new total, if it has changed */
  update(done: number, total?: number): void;
  close(): void;
}

interface ProgressOptions {
  total?: number | undefined;
  unit?: string;
  /** The output file of the step. If this is `-` and standard output is a terminal, no progress is shown. */
  out?: string;
}

interface Step {
  name: string;
  unit: string;
  total: number | undefined;
  done: number;
  startedAt: number;
}

let print = printError;

/**
 * Shows the progress, the rate and the remaining time of a step on standard error. A terminal shows a bar. A log gets a line after
 * one second and then every five seconds. Only one step can be open at a time.
 */
export function openProgress(name: string, { total, unit = "records", out }: ProgressOptions = {}): Progress {
  if (out === "-" && process.stdout.isTTY) return { update() {}, close() {} };
  const step: Step = { name, unit, total, done: 0, startedAt: Date.now() };
  const { show, close } = process.stderr.isTTY ? openBar(step) : openLog(step);
  return {
    update(done, total = step.total) {
      step.done = done;
      // The total can be an estimate that is too low.
      step.total = total === undefined ? undefined : Math.max(done, total);
      show();
    },
    close,
  };
}

/** Prints a line on standard error, above the progress bar if one is shown. */
export function printNotice(line: string): void {
  print(line);
}

function openBar(step: Step) {
  const format: cliProgress.GenericFormatter = (options, { progress }) => {
    const bar = step.total === undefined ? "" : `${Format.BarFormat(progress, options)} `;
    return `${step.name} ${bar}${formatProgress(step)}`;
  };
  // A bar of 20 characters leaves enough space for the text in 80 columns. `runProgram` handles signals, so gracefulExit is off.
  const options = { format, barsize: 20, hideCursor: true, clearOnComplete: true, gracefulExit: false };
  const bar = new SingleBar(options, Presets.shades_classic);
  const draw = () => bar.start(step.total ?? 0, step.done);
  const close = () => {
    bar.stop();
    print = printError;
    process.off("exit", close);
  };
  print = (line) => {
    bar.stop();
    printError(line);
    draw();
  };
  process.once("exit", close); // Otherwise, the cursor would stay hidden after the process has ended.
  draw();
  const show = () => {
    bar.setTotal(step.total ?? 0);
    bar.update(step.done);
  };
  return { show, close };
}

function openLog(step: Step) {
  const print = () => {
    printError(`${step.name}: ${formatProgress(step)}`);
    timer = setTimeout(print, LOG_INTERVAL_MS).unref();
  };
  let timer = setTimeout(print, LOG_DELAY_MS).unref();
  return { show() {}, close: () => clearTimeout(timer) };
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

const formatDuration = (seconds: number) => Format.TimeFormat(Math.ceil(seconds), { autopaddingChar: "" }, 1);
