import { Presets, SingleBar } from "cli-progress";

/** How often a log, which keeps every line, is told. */
const PLAIN_INTERVAL_MS = 5_000;

export interface Progress {
  /** @param done records so far */
  update(done: number): void;
  close(): void;
}

/**
 * Shows on standard error how far a long step is: one line that is rewritten on a terminal, a plain line every few
 * seconds elsewhere.
 * @param step what is going on, such as `reading`
 * @param total records to do, if known
 */
export function openProgress(step: string, total?: number): Progress {
  return process.stderr.isTTY ? openBar(step, total) : openPlain(step, total);
}

function openBar(step: string, total: number | undefined): Progress {
  const format =
    total === undefined
      ? `${step} {value} records`
      : `${step} {bar} {value}/{total} records, {eta_formatted} left`;
  const bar = new SingleBar({ format, hideCursor: true, clearOnComplete: true }, Presets.shades_classic);
  bar.start(total ?? 0, 0);
  return { update: (done) => bar.update(done), close: () => bar.stop() };
}

function openPlain(step: string, total: number | undefined): Progress {
  let toldAt = Date.now();
  return {
    update(done) {
      if (Date.now() - toldAt < PLAIN_INTERVAL_MS) return;
      toldAt = Date.now();
      console.error(
        total === undefined ? `${step}: ${done} records` : `${step}: ${done} of ${total} records`,
      );
    },
    close() {},
  };
}
