import cliProgress from "cli-progress";

/** How far a step is, and since when. */
export interface Course {
  done(): number;
  /** How many there are to do; undefined if nobody knows. */
  total(): number | undefined;
  /** @param total how many there are to do by now, if that has changed */
  update(done: number, total?: number): void;
  /** How many are done, how many that is a second, and how long the rest takes at that rate. */
  describe(): string;
}

/**
 * @param unit what is counted
 * @param total how many there are to do, if known
 */
export function openCourse(unit: string, total: number | undefined): Course {
  const begunAt = Date.now();
  const at = { done: 0, total, updatedAt: begunAt };
  const since = (begin: number) => Math.max(1, Date.now() - begin) / 1_000;
  /** How many a second, and seconds left: by the last update, or by now if more should have been done since. */
  const predict = (rest: number) => {
    const rate = at.done / (Math.max(1, at.updatedAt - begunAt) / 1_000);
    const left = rest / rate - (Date.now() - at.updatedAt) / 1_000;
    if (left > 0 || rest === 0) return { rate, left: Math.max(0, left) };
    return { rate: at.done / since(begunAt), left: (rest * since(begunAt)) / at.done };
  };
  return {
    done: () => at.done,
    // There may be more done than there were to do.
    total: () => (at.total === undefined ? undefined : Math.max(at.done, at.total)),
    update(done, total = at.total) {
      Object.assign(at, { done, total, updatedAt: Date.now() });
    },
    describe() {
      const all = this.total();
      const count = `${at.done}${all === undefined ? "" : `/${all}`} ${unit}`;
      const taken = `${formatTime(since(begunAt))} so far`;
      // How long it takes nobody knows before the first is done.
      if (at.done === 0) return all === undefined ? taken : `${count}, ${taken}`;
      const { rate, left } = predict((all ?? at.done) - at.done);
      const told = `${count}, ${formatRate(rate)}/s`;
      return all === undefined ? told : `${told}, ${formatTime(left)} left`;
    },
  };
}

function formatRate(rate: number): string {
  return rate < 10 ? String(Number(rate.toFixed(1))) : String(Math.round(rate));
}

function formatTime(seconds: number): string {
  return cliProgress.Format.TimeFormat(Math.ceil(seconds), { autopaddingChar: "" }, 1);
}
