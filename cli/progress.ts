import cliProgress from "cli-progress";

const { Format, Presets, SingleBar } = cliProgress;

/** How often a log, which keeps every line, is told. */
const PLAIN_INTERVAL_MS = 5_000;

export interface Progress {
  /** @param done so far */
  update(done: number): void;
  close(): void;
}

/** What is written shows well enough how far it is. */
const SILENT: Progress = { update() {}, close() {} };

/** Tells a line while the bar on the terminal makes room for it; undefined while there is none. */
let tellAbove: ((line: string) => void) | undefined;

/**
 * Shows on standard error how far a long step is, how fast, and how long it still takes: one line that is rewritten
 * on a terminal, a plain line every few seconds elsewhere. One step at a time.
 * @param step what is going on, such as `reading`
 * @param total how many records there are to do, if known
 * @param out where the step writes them; `-` is standard output, and if that is a terminal nothing is shown
 */
export function openProgress(step: string, total?: number, out?: string): Progress {
  if (out === "-" && process.stdout.isTTY) return SILENT;
  return process.stderr.isTTY ? openBar(step, total) : openPlain(step, total);
}

/** Tells a person something on standard error: a line of its own, above the bar if there is one. */
export function note(line: string): void {
  (tellAbove ?? console.error)(line);
}

function openBar(step: string, total: number | undefined): Progress {
  const format = `${step} ${total === undefined ? "" : "{bar} "}{told}`;
  // The process ends itself on a signal, before the bar would hear of it.
  const options = { format, hideCursor: true, clearOnComplete: true, gracefulExit: false };
  const bar = new SingleBar(options, Presets.shades_classic);
  const describe = describeRate(total);
  let done = 0;
  const draw = () => bar.start(total ?? 0, done, { told: describe(done) });
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
    update(value) {
      done = value;
      bar.update(done, { told: describe(done) });
    },
    close,
  };
}

function openPlain(step: string, total: number | undefined): Progress {
  const describe = describeRate(total);
  let toldAt = Date.now();
  return {
    update(done) {
      if (Date.now() - toldAt < PLAIN_INTERVAL_MS) return;
      toldAt = Date.now();
      console.error(`${step}: ${describe(done)}`);
    },
    close() {},
  };
}

/** Gives words for how many are done, how many that is a second, and how long the rest takes at that rate. */
function describeRate(total: number | undefined): (done: number) => string {
  const begunAt = Date.now();
  return (done) => {
    const rate = Math.round((done * 1_000) / Math.max(1, Date.now() - begunAt));
    if (total === undefined) return `${done} records, ${rate}/s`;
    const left = Math.ceil((total - done) / Math.max(1, rate));
    return `${done}/${total} records, ${rate}/s, ${Format.TimeFormat(left, { autopaddingChar: "" }, 1)} left`;
  };
}
