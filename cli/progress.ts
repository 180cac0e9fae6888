import cliProgress from "cli-progress";

const { Format, Presets, SingleBar } = cliProgress;

/** How often a log, which keeps every line, is told. */
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
 * on a terminal, a plain line every few seconds elsewhere. One step at a time.
 * @param step what is going on, such as `reading`
 * @param total how many there are to do, if known
 */
export function openProgress(
  step: string,
  total?: number,
  { unit = "records", out }: ProgressOptions = {},
): Progress {
  if (out === "-" && process.stdout.isTTY) return SILENT;
  const describe = describeRate(unit);
  return process.stderr.isTTY ? openBar(step, total, describe) : openPlain(step, total, describe);
}

/** Tells a person something on standard error: a line of its own, above the bar if there is one. */
export function note(line: string): void {
  (tellAbove ?? console.error)(line);
}

/** Gives words for how far a step is. */
type Describe = (done: number, total: number | undefined) => string;

function openBar(step: string, total: number | undefined, describe: Describe): Progress {
  const format = `${step} ${total === undefined ? "" : "{bar} "}{told}`;
  // The process ends itself on a signal, before the bar would hear of it.
  const options = { format, hideCursor: true, clearOnComplete: true, gracefulExit: false };
  const bar = new SingleBar(options, Presets.shades_classic);
  const at = { done: 0, total };
  const told = () => ({ told: describe(at.done, at.total) });
  const draw = () => bar.start(at.total ?? 0, at.done, told());
  const close = () => {
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
    update(done, total = at.total) {
      Object.assign(at, { done, total });
      if (total !== undefined) bar.setTotal(total);
      bar.update(done, told());
    },
    close,
  };
}

function openPlain(step: string, total: number | undefined, describe: Describe): Progress {
  let toldAt = Date.now();
  return {
    update(done, now = total) {
      if (Date.now() - toldAt < PLAIN_INTERVAL_MS) return;
      toldAt = Date.now();
      console.error(`${step}: ${describe(done, now)}`);
    },
    close() {},
  };
}

/**
 * Tells how many are done, how many that is a second, and how long the rest takes at that rate. There may be more done
 * than there were to do.
 */
function describeRate(unit: string): Describe {
  const begunAt = Date.now();
  return (done, total) => {
    const rate = Math.round((done * 1_000) / Math.max(1, Date.now() - begunAt));
    if (total === undefined) return `${done} ${unit}, ${rate}/s`;
    const all = Math.max(done, total);
    const left = Math.ceil((all - done) / Math.max(1, rate));
    return `${done}/${all} ${unit}, ${rate}/s, ${Format.TimeFormat(left, { autopaddingChar: "" }, 1)} left`;
  };
}
