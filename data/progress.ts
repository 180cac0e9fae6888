import { Presets, SingleBar } from "cli-progress";

/** How often a log, which keeps every line, is told. */
const PLAIN_INTERVAL_MS = 5_000;

export interface Progress {
  /** @param done so far */
  update(done: number): void;
  close(): void;
}

/**
 * Shows on standard error how far a long step is, how fast, and how long it still takes: one line that is rewritten
 * on a terminal, a plain line every few seconds elsewhere.
 * @param step what is going on, such as `reading`
 * @param total how many there are to do, if known
 * @param unit what is counted
 */
export function openProgress(step: string, total?: number, unit = "records"): Progress {
  return process.stderr.isTTY ? openBar(step, total, unit) : openPlain(step, total, unit);
}

function openBar(step: string, total: number | undefined, unit: string): Progress {
  const known = `{bar} {value}/{total} ${unit}, {rate}/s, {eta_formatted} left`;
  const format = `${step} ${total === undefined ? `{value} ${unit}, {rate}/s` : known}`;
  const options = { format, hideCursor: true, clearOnComplete: true, etaBuffer: 100 };
  const bar = new SingleBar(options, Presets.shades_classic);
  const rate = measureRate();
  bar.start(total ?? 0, 0, { rate: 0 });
  return { update: (done) => bar.update(done, { rate: rate(done) }), close: () => bar.stop() };
}

function openPlain(step: string, total: number | undefined, unit: string): Progress {
  const rate = measureRate();
  let toldAt = Date.now();
  return {
    update(done) {
      if (Date.now() - toldAt < PLAIN_INTERVAL_MS) return;
      toldAt = Date.now();
      const perSecond = rate(done);
      const left =
        total === undefined ? "" : `, ${Math.ceil((total - done) / Math.max(1, perSecond))} s left`;
      const of = total === undefined ? "" : ` of ${total}`;
      console.error(`${step}: ${done}${of} ${unit}, ${perSecond}/s${left}`);
    },
    close() {},
  };
}

/** Gives how many were done a second since the beginning. */
function measureRate(): (done: number) => number {
  const begunAt = Date.now();
  return (done) => Math.round((done * 1_000) / Math.max(1, Date.now() - begunAt));
}
