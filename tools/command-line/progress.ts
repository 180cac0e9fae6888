import cliProgress from "cli-progress";
import { type Course, openCourse } from "./course.ts";

const { Format, Presets, SingleBar } = cliProgress;

/** When a step counts as long, and how often its line on a terminal is drawn anew while nothing is done. */
const TICK_MS = 1_000;

/** How often a log, which keeps every line, is told of a long step. */
const PLAIN_INTERVAL_MS = 5_000;

export interface Progress {
  /**
   * @param done so far
   * @param total how many there are to do by now, if that has changed
   */
  update(done: number, total?: number): void;
  close(): void;
}

export interface ProgressOptions {
  /** What is counted, `records` by default. */
  unit?: string;
  /** Where the step writes what it counts; `-` is standard output, and if that is a terminal nothing is shown. */
  out?: string;
}

/** What is written shows well enough how far it is. */
const SILENT: Progress = { update() {}, close() {} };

/** Tells a line while the bar on the terminal makes room for it; undefined while there is none. */
let tellAbove: ((line: string) => void) | undefined;

/**
 * Shows on standard error how far a long step is, how fast, and how long it still takes: one line that is rewritten
 * on a terminal, a plain line after a second, and then every few, elsewhere. One step at a time.
 * @param step what is going on, such as `reading`
 * @param total how many there are to do, if known
 */
export function openProgress(
  step: string,
  total?: number,
  { unit = "records", out }: ProgressOptions = {},
): Progress {
  if (out === "-" && process.stdout.isTTY) return SILENT;
  const course = openCourse(unit, total);
  return process.stderr.isTTY ? openBar(step, course) : openPlain(step, course);
}

/** Tells a person something on standard error: a line of its own, above the bar if there is one. */
export function note(line: string): void {
  (tellAbove ?? console.error)(line);
}

function openBar(step: string, course: Course): Progress {
  const format: cliProgress.GenericFormatter = (options, { progress }) => {
    const bar = course.total() === undefined ? "" : `${Format.BarFormat(progress, options)} `;
    return `${step} ${bar}${course.describe()}`;
  };
  // The process ends itself on a signal, before the bar would hear of it.
  const options = { format, hideCursor: true, clearOnComplete: true, gracefulExit: false };
  const bar = new SingleBar(options, Presets.shades_classic);
  const draw = () => bar.start(course.total() ?? 0, course.done());
  const update = () => {
    bar.setTotal(course.total() ?? 0);
    bar.update(course.done());
  };
  const timer = setInterval(update, TICK_MS).unref();
  const close = () => {
    clearInterval(timer);
    bar.stop();
    tellAbove = undefined;
    process.off("exit", close);
  };
  tellAbove = (line) => {
    bar.stop();
    console.error(line);
    draw();
  };
  process.once("exit", close); // A hidden cursor would outlast the process.
  draw();
  return {
    update(done, total) {
      course.update(done, total);
      update();
    },
    close,
  };
}

function openPlain(step: string, course: Course): Progress {
  let tellAt = Date.now() + TICK_MS;
  const tell = () => {
    if (Date.now() < tellAt) return;
    tellAt = Date.now() + PLAIN_INTERVAL_MS;
    console.error(`${step}: ${course.describe()}`);
  };
  const timer = setInterval(tell, TICK_MS).unref();
  return {
    update(done, total) {
      course.update(done, total);
      tell();
    },
    close: () => clearInterval(timer),
  };
}
